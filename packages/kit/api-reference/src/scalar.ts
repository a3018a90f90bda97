import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Scalar's bundle. The package does not export a path to it, only to the style sheet in the same folder. */
const bundle = new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference/style.css'));

export interface Script {
  /** The name changes with the content, so that browsers may cache the file permanently. */
  name: string;
  bytes: Buffer<ArrayBuffer>;
  gzipped: Buffer<ArrayBuffer>;
}

let kept: Promise<Script> | undefined;

/** Returns the script of the page. Reads and compresses it on first use, because few processes ever serve it. */
export function scalarScript(): Promise<Script> {
  kept ??= read().catch((error: unknown) => {
    kept = undefined;
    throw error;
  });
  return kept;
}

async function read(): Promise<Script> {
  const bytes = await readFile(bundle);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { name: `scalar.${hash}.js`, bytes, gzipped: await promisify(gzip)(bytes, { level: 9 }) };
}
