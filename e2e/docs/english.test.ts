import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { hardWords } from '../structure/english.ts';
import { readPages } from './pages.ts';

/** Returns the hard-to-read words of a page, with their line. Ignores code. */
function hardWordsByLine(markdown: string): string[] {
  const prose = markdown.replaceAll(/^( *)```.*?^ *```$/gms, (block) => block.replaceAll(/[^\n]/g, ''));
  return prose.split('\n').flatMap((line, index) => hardWords(line).map((word) => `${index + 1}: ${word}`));
}

test('the documentation is plain English', () => {
  const found = readPages().flatMap(({ path }) =>
    hardWordsByLine(readFileSync(join(REPOSITORY, path), 'utf8')).map((word) => `${path}:${word}`),
  );
  expect(found).toEqual([]);
});

test('scripts, manifests and dashboards are plain English', () => {
  const patterns = [
    '*.sh',
    '*.yml',
    '*.yaml',
    '*.tpl',
    '.ci/*',
    '*Dockerfile',
    'deploy/observability/*.json',
  ];
  const listed = execFileSync('git', ['ls-files', ...patterns], { cwd: REPOSITORY, encoding: 'utf8' });
  const found = listed
    .split('\n')
    .filter((path) => path !== '')
    .flatMap((path) =>
      hardWordsByLine(readFileSync(join(REPOSITORY, path), 'utf8')).map((word) => `${path}:${word}`),
    );
  expect(found).toEqual([]);
});

test('hard-to-read words in prose are reported, and those in code are not', () => {
  expect(hardWordsByLine('# A page\n```sh\necho nobody\n```\nFor people whose `nobody` is away.')).toEqual([
    '5: whose',
  ]);
});
