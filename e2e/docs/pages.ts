import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CodeBlock, codeBlocks } from '@switchboard/testkit';
import { REPOSITORY } from '../harness/repository.ts';

export interface Page {
  path: string;
  blocks: CodeBlock[];
}

/** Returns every Markdown file of the repository: README, the pages that it links to, then the others by name. */
export function readPages(): Page[] {
  const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: REPOSITORY, encoding: 'utf8' });
  const paths = listed.split('\n').filter((path) => path !== '');
  const linked = [...readPage('README.md').matchAll(/\]\(([^)#]+)/g)].map(([, path = '']) => path);
  const ordered = new Set(['README.md', ...linked.filter((path) => paths.includes(path)), ...paths]);
  return [...ordered].map((path) => ({ path, blocks: codeBlocks(readPage(path)) }));
}

const readPage = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
