import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commonSettings } from '../settings/common.ts';
import { serviceContext } from './context.ts';

const good = {
  REGION: 'eu',
  AUTH_ISSUER: 'https://id.example',
  AUTH_AUDIENCE: 'switchboard',
  AUTH_JWKS_URL: 'https://id.example/jwks.json',
  CONSOLE_URL: 'https://console.example/',
  DATABASE_URL: 'postgres://app:secret@db:5432/flags',
};

describe('the secrets that docker-compose.yml ships', () => {
  const service = {
    name: 'messenger',
    settings: z.object({ ...commonSettings, SECRET: z.string() }),
  } as const;
  const shipped = async () => {
    const file = await readFile(new URL('../../../../../docker-compose.yml', import.meta.url), 'utf8');
    const defaults = [...file.matchAll(/\$\{(\w+):-([^}]+)\}/g)].map(([, name, value]) => ({ name, value }));
    return defaults.filter(({ name = '' }) => /(SECRET|PASSWORD|SECRET_KEY)$/.test(name));
  };

  it('every service refuses the secrets that docker-compose.yml ships', async () => {
    const secrets = await shipped();
    expect(secrets.length).toBeGreaterThan(9);
    for (const { value } of secrets) {
      expect(() => serviceContext(service, { ...good, SECRET: value })).toThrow(
        /^Public development secrets of docker-compose.yml in SECRET\./,
      );
      const DATABASE_URL = `postgres://app:${value}@db:5432/app`;
      expect(() => serviceContext(service, { ...good, SECRET: 'own', DATABASE_URL })).toThrow('DATABASE_URL');
    }
    expect(serviceContext(service, { ...good, SECRET: 'own' }).config.SECRET).toBe('own');
  });

  it('a service accepts the shipped secrets if a setting allows them, as docker-compose.yml does for its demo', async () => {
    for (const { value } of await shipped()) {
      const env = { ...good, SECRET: value, ALLOW_DEVELOPMENT_CREDENTIALS: 'true' };
      expect(serviceContext(service, env).config.SECRET).toBe(value);
    }
  });
});
