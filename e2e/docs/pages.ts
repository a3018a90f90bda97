import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../harness/repository.ts';

export interface CodeBlock {
  language: string;
  text: string;
  /** The line number of its first line of code, from 1. */
  line: number;
}

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

/** Returns the fenced code blocks of a page, without the indentation of lists. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms)].map((match) => {
    const [, indentation = '', language = '', text = ''] = match;
    return {
      language,
      text: text.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
      line: markdown.slice(0, match.index).split('\n').length + 1,
    };
  });
}
