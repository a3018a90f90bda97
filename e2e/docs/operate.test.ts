import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { settingOf } from './reference/setting.ts';
import { serviceSettings } from './reference/settings.ts';

test('docs/operate.md states how many connections one process of each service opens', async () => {
  const page = await readFile(join(REPOSITORY, 'docs/operate.md'), 'utf8');
  const pools = serviceSettings.map(([, { DATABASE_POOL_SIZE: schema }]) =>
    Number(schema && settingOf('DATABASE_POOL_SIZE', schema).fallback),
  );
  const listening = pools.length;
  const erasing = 2 * (pools.length - 1);
  const jobs = 5;
  const all = pools.reduce((sum, one) => sum + one, 0) + listening + erasing + jobs;
  expect(page).toContain(`One of each service takes ${all}, two of each ${2 * all}.`);
});
