import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const isForeign = (name: string) => name === 'node_modules' || name === 'dist' || name === '.switchboard';

/** What GitHub makes of a heading. */
function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

async function textOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}

async function leadsNowhere(file: string, link: string): Promise<boolean> {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : join(dirname(file), decodeURI(path));
  if (!existsSync(target)) return true;
  if (anchor === undefined || !target.endsWith('.md')) return false;
  const headings = [...(await textOf(target)).matchAll(/^#{1,6} +(.+)$/gm)].map(([, title = '']) =>
    anchorOf(title),
  );
  return !headings.includes(anchor);
}

test('every link of a document within the repository leads to a file, and to a heading of it', async () => {
  const broken: string[] = [];
  let links = 0;
  for await (const name of glob('**/*.md', { cwd: REPOSITORY, exclude: isForeign })) {
    const file = join(REPOSITORY, name);
    for (const [, link = ''] of (await textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      links++;
      if (await leadsNowhere(file, link)) broken.push(`${relative(REPOSITORY, file)}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(100);
});
