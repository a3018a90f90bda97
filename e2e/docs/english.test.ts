import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { readPages } from './pages.ts';

const HARD_TO_READ =
  /\b(meanwhile|so many|anew|somebody|nobody|whose|for ever|none left|of which there|what is|made for)\b/gi;

/** Returns the hard-to-read words of a text, with their line. Ignores code. */
function hardWords(markdown: string): string[] {
  const prose = markdown
    .replaceAll(/^( *)```.*?^ *```$/gms, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, '');
  return prose
    .split('\n')
    .flatMap((line, index) => [...line.matchAll(HARD_TO_READ)].map(([word]) => `${index + 1}: ${word}`));
}

test('the documentation is plain English', () => {
  const found = readPages().flatMap(({ path }) =>
    hardWords(readFileSync(join(REPOSITORY, path), 'utf8')).map((word) => `${path}:${word}`),
  );
  expect(found).toEqual([]);
});

test('hard-to-read words in prose are reported, and those in code are not', () => {
  expect(hardWords('# A page\n```sh\necho nobody\n```\nFor people whose `nobody` is away.')).toEqual([
    '5: whose',
  ]);
});
