import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPages } from './pages.ts';
import { planOf } from './plan.ts';
import { NOT_RUN } from './programs.ts';
import { openReader, type Reader } from './reader.ts';

const plans = readPages().map((page) => ({ path: page.path, plan: planOf(page) }));

test('every command of the docs either runs here or is known not to', () => {
  const refused = plans.flatMap(({ plan }) => plan.refused.map(({ at, reason }) => `${at}: ${reason}`));
  expect(refused).toEqual([]);
});

test('what is known not to run here is still in the docs', () => {
  const prefixes = new Set(plans.flatMap(({ plan }) => [...plan.known]));
  expect(Object.keys(NOT_RUN).filter((prefix) => !prefixes.has(prefix))).toEqual([]);
});

describe('pasted into a shell of a fresh checkout, with Switchboard started', () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await openReader();
  }, 300_000);
  afterAll(() => reader?.close(), 60_000);

  test.each(plans.filter(({ plan }) => plan.run.length > 0))(
    'the commands of $path work',
    async ({ plan }) => {
      expect(await reader.read(plan.run)).toEqual([]);
    },
    400_000,
  );
});
