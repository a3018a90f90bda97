import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokens } from '@switchboard/design';
import { rolldown } from 'rolldown';

interface Asset {
  type: string;
  text: string;
}

const STYLES = [
  new URL('browser/base.css', import.meta.url),
  new URL('browser/shop.css', import.meta.url),
  new URL('browser/start.css', import.meta.url),
];
const SCRIPTS = [
  fileURLToPath(new URL('browser/shop.js', import.meta.url)),
  fileURLToPath(new URL('browser/start.js', import.meta.url)),
];

let kept: Promise<Map<string, Asset>> | undefined;

/** Returns a script or style of the pages. Bundles them with the SDKs on first use. */
export async function asset(name: string): Promise<Asset | undefined> {
  kept ??= bundle().catch((error: unknown) => {
    kept = undefined;
    throw error;
  });
  return (await kept).get(name);
}

async function bundle(): Promise<Map<string, Asset>> {
  const styles = STYLES.map(async (url): Promise<[string, Asset]> => {
    const text = await readFile(url, 'utf8');
    return [basename(url.pathname), { type: 'text/css; charset=utf-8', text }];
  });
  const built = await rolldown({ input: SCRIPTS, logLevel: 'silent' });
  const { output } = await built.generate({ format: 'esm', minify: true, entryFileNames: '[name].js' });
  await built.close();
  return new Map([
    ['tokens.css', { type: 'text/css; charset=utf-8', text: tokens }],
    ...(await Promise.all(styles)),
    ...output.flatMap((chunk): [string, Asset][] =>
      chunk.type === 'chunk'
        ? [[chunk.fileName, { type: 'text/javascript; charset=utf-8', text: chunk.code }]]
        : [],
    ),
  ]);
}
