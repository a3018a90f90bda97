import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from '../../harness/repository.ts';
import { MET } from './asvs.ts';
import { chartFile, chartSettings } from './chart.ts';
import { referencePages } from './pages.ts';
import { settingOf } from './setting.ts';
import { allSettings } from './settings.ts';

test.each(referencePages)('$path matches its source; `pnpm run docs` updates it', async ({ path, text }) => {
  expect(await readFile(join(REPOSITORY, path), 'utf8')).toBe(await text());
});

test('settings.json of the Helm chart matches the settings; `pnpm run docs` updates it', async () => {
  expect(await readFile(chartFile, 'utf8')).toBe(chartSettings());
});

describe('every setting', () => {
  test.each([...new Map(allSettings.map((setting) => [setting.name, setting])).values()])(
    '$name has a description of one sentence',
    ({ meaning }) => {
      expect(meaning).toMatch(/^[A-Z].{10,}\.$/);
    },
  );

  test('services have at most 106 settings: a value that no operator can know better is a constant', () => {
    expect(new Set(allSettings.map(({ name }) => name)).size).toBeLessThanOrEqual(106);
  });

  test('every setting with the name of a secret is marked as secret', () => {
    const secrets = allSettings.filter(({ name }) =>
      /^(?!ALLOW_).*(SECRET|PASSWORD|TOKEN$|API_KEY|PRIVATE_KEY|DATABASE_URL|REDIS_URL|SMTP_URL)/.test(name),
    );
    expect(secrets.length).toBeGreaterThan(8);
    expect(secrets.filter(({ secret }) => !secret).map(({ name }) => name)).toEqual([]);
  });
});

test('settingOf unwraps optional, default and transformed schemas', () => {
  const schema = z
    .string()
    .transform(Number)
    .meta({ values: 'whole number', secret: true })
    .default(3)
    .describe('A number.');
  expect(settingOf('N', schema)).toEqual({
    name: 'N',
    meaning: 'A number.',
    values: 'whole number',
    secret: true,
    required: false,
    fallback: '3',
  });
  expect(settingOf('E', z.enum(['a', 'b']).optional())).toMatchObject({
    values: '`a`, `b`',
    required: false,
    fallback: undefined,
  });
  expect(settingOf('R', z.string())).toMatchObject({ values: 'text', required: true });
});

test.each(MET)('the tests of requirement %s exist', async (_, tests) => {
  expect(tests).not.toEqual([]);
  await Promise.all(tests.map((path) => access(join(REPOSITORY, path))));
});
