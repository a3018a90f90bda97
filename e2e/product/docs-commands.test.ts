import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPages } from '../docs/pages.ts';
import { planOf } from '../docs/plan.ts';
import { NOT_RUN } from '../docs/programs.ts';
import { openReader, type Reader } from '../docs/reader.ts';

/** Runs last, because it erases the demo's project and company, which the other pages need. */
const LAST = 'docs/security.md';

const plans = readPages()
  .map((page) => ({ path: page.path, plan: planOf(page) }))
  .sort((one, other) => Number(one.path === LAST) - Number(other.path === LAST));

test('every command of the docs runs here or is listed as not run', () => {
  const refused = plans.flatMap(({ plan }) => plan.refused.map(({ at, reason }) => `${at}: ${reason}`));
  expect(refused).toEqual([]);
});

test('every command listed as not run is still in the docs', () => {
  const prefixes = new Set(plans.flatMap(({ plan }) => [...plan.known]));
  expect(Object.keys(NOT_RUN).filter((prefix) => !prefixes.has(prefix))).toEqual([]);
});

describe('in a fresh checkout with Switchboard running', () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await openReader();
  });
  afterAll(() => reader?.close(), 60_000);

  test.each(plans.filter(({ plan }) => plan.run.length > 0))(
    'the commands of $path work',
    async ({ plan }) => {
      expect(await reader.read(plan.run)).toEqual([]);
    },
    400_000,
  );
});
