import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const PAGES = [
  'api',
  'backup-and-upgrade',
  'collaboration',
  'concepts',
  'configure',
  'deploy',
  'events-and-archive',
  'flags',
  'insights',
  'manage',
  'messenger',
  'observe',
  'operate',
  'regions',
  'reliability-and-benchmarks',
  'sdks',
  'security',
  'start',
];
/** Pages that only some readers need, each with a limit of its own in words. */
const OPTIONAL_PAGES = { 'moving-in': 900, webhooks: 900 };
const MAX_WORDS = 18_000;
const MAX_README_WORDS = 350;

/** Markdown outside the pages. Packages that are published have a README and a changelog. */
const OTHERS = [
  /^(README|ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$/,
  /^docs\/(reference|examples)\//,
  /^packages\/platform\/fairness\/README\.md$/,
  /^packages\/(sdk\/[a-z-]+|domain\/flag-engine)\/(README|CHANGELOG)\.md$/,
  /^(bench|deploy\/backings|services\/console)\/README\.md$/,
];

const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: REPOSITORY, encoding: 'utf8' });
const files = listed.split('\n').filter((path) => path !== '');

/** Counts words, such as `POST` and `user-1`. The signs of Markdown, such as the bars of a table, are none. */
async function countWords(path: string): Promise<number> {
  const text = await readFile(join(REPOSITORY, path), 'utf8');
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

test('the documentation consists of 20 pages', () => {
  const names = files.flatMap((path) => /^docs\/([^/]+)\.md$/.exec(path)?.[1] ?? []);
  expect(names.sort()).toEqual([...PAGES, ...Object.keys(OPTIONAL_PAGES)].sort());
});

test('the pages that every reader needs have at most 18,000 words together', async () => {
  const counts = await Promise.all(PAGES.map((name) => countWords(`docs/${name}.md`)));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_WORDS);
});

test.each(Object.entries(OPTIONAL_PAGES))('the page docs/%s.md has at most %i words', async (name, limit) => {
  expect(await countWords(`docs/${name}.md`)).toBeLessThanOrEqual(limit);
});

test('the README fits on one screen', async () => {
  expect(await countWords('README.md')).toBeLessThanOrEqual(MAX_README_WORDS);
});

test('no other Markdown file is in the repository', () => {
  const isPage = (path: string) =>
    [...PAGES, ...Object.keys(OPTIONAL_PAGES)].some((name) => path === `docs/${name}.md`);
  const others = files.filter((path) => !isPage(path) && !OTHERS.some((pattern) => pattern.test(path)));
  expect(others).toEqual([]);
});
