import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { brokerUsersPage } from './broker-users.ts';
import { chartFile, chartSettings } from './chart.ts';
import { brokerUsersFile, permissionsFile, settingsFile } from './page.ts';
import { permissionsPage } from './permissions.ts';
import { settingOf } from './setting.ts';
import { allSettings, settingsPage } from './settings.ts';

test('docs/reference/settings.md matches the settings; `pnpm run docs` updates it', async () => {
  expect(await readFile(settingsFile, 'utf8')).toBe(settingsPage());
});

test('docs/permissions.md matches the contracts; `pnpm run docs` updates it', async () => {
  expect(await readFile(permissionsFile, 'utf8')).toBe(permissionsPage());
});

test('docs/broker-users.md matches the contracts; `pnpm run docs` updates it', async () => {
  expect(await readFile(brokerUsersFile, 'utf8')).toBe(brokerUsersPage());
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
