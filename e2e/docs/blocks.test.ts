import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeBlock } from '@switchboard/testkit';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { type Page, readPages } from './pages.ts';
import { isAnswer } from './plan.ts';

/** How blocks of each language are run. A language that is not listed is refused. */
const LANGUAGES: Readonly<Record<string, 'as commands' | 'by a test' | 'not'>> = {
  // docs-commands.test.ts runs a page's blocks in one shell, and compares the JSON below them with the responses.
  sh: 'as commands',
  // A test gets the block with `documented`: SQL runs in its database, code and pages in Node.js or a browser, and
  // what configures a program is given to the program or to its schema.
  sql: 'by a test',
  js: 'by a test',
  jsx: 'by a test',
  html: 'by a test',
  css: 'by a test',
  csp: 'by a test',
  env: 'by a test',
  json: 'by a test',
  yaml: 'by a test',
  // Output, file names and drawings.
  text: 'not',
};

/** The test that gets a block, by the block's place, language and number. */
const gotBy = new Map<string, string>();
const listed = execFileSync('git', ['grep', '-lF', '--untracked', 'documented(', '--', '*.test.ts'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
});
for (const path of listed.trim().split('\n')) {
  const calls = readFileSync(join(REPOSITORY, path), 'utf8').matchAll(
    /\bdocumented\(\s*'([^']+)',\s*'(\w+)'(?:,\s*(\d+))?,?\s*\)/g,
  );
  for (const [, place, language, nth = '1'] of calls) gotBy.set(`${place} ${language} ${nth}`, path);
}

const NONE = 'no test';

/** Returns the path of the test that runs a block. */
function runnerOf({ path, blocks }: Page, block: CodeBlock): string {
  const { language, heading, nth } = block;
  const how = LANGUAGES[language];
  if (how === 'not') return 'nothing, because it is output';
  if (how === 'as commands' || isAnswer(blocks[blocks.indexOf(block) - 1], block))
    return 'e2e/product/docs-commands.test.ts';
  return (how === 'by a test' && gotBy.get(`${path}${heading} ${language} ${nth}`)) || NONE;
}

const blocks = readPages().flatMap((page) =>
  page.blocks.map((block) => ({
    place: `${page.path}:${block.line}`,
    language: block.language || 'unlabelled',
    runner: runnerOf(page, block),
  })),
);

test.each(blocks)('the $language block at $place is run by $runner', ({ runner }) => {
  expect(runner).not.toBe(NONE);
});
