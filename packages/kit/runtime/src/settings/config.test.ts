import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commonSettings } from './common.ts';
import { ConfigError, parseConfig } from './config.ts';
import { eventLogSettings } from './event-log.ts';
import { rolesSetting, workersSetting } from './fields.ts';
import { completeS3, objectStoreSettings } from './object-store.ts';

const settings = z.object({ ...commonSettings, ...eventLogSettings });
const good = {
  REGION: 'eu',
  AUTH_ISSUER: 'https://id.example',
  AUTH_AUDIENCE: 'switchboard',
  AUTH_JWKS_URL: 'https://id.example/jwks.json',
  CONSOLE_URL: 'https://console.example/',
  DATABASE_URL: 'postgres://app:secret@db:5432/flags',
};

function refusal(env: Record<string, string | undefined>): string {
  try {
    parseConfig(settings, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('settings', () => {
  it('reads settings with their defaults', () => {
    const config = parseConfig(settings, { ...good, PORT: '', KAFKA_BROKERS: 'a:9092, b:9092' });
    expect(config).toMatchObject({ PORT: 3000, CONSOLE_URL: 'https://console.example', TOPIC_PARTITIONS: 4 });
    expect(config.KAFKA_BROKERS).toEqual(['a:9092', 'b:9092']);
  });

  it('names missing and invalid settings in one message, without their values', () => {
    const message = refusal({
      ...good,
      REGION: undefined,
      PORT: '70000',
      DATABASE_URL: 'mysql://app:secret@db',
    });
    expect(message).toBe(
      [
        'Missing or invalid environment variables:',
        '  PORT: not between 0 and 65535',
        '  REGION: required',
        '  DATABASE_URL: not a postgres:// address',
      ].join('\n'),
    );
    expect(message).not.toContain('secret');
  });

  it.each([
    ['PORT', '80x'],
    ['LOG_LEVEL', 'loud'],
    ['KAFKA_BROKERS', 'broker'],
    ['TRUSTED_PROXY_HOPS', '-1'],
    ['CONSOLE_URL', 'ftp://console.example'],
  ])('refuses the setting %s=%s', (name, value) => {
    expect(refusal({ ...good, [name]: value })).toContain(`  ${name}: `);
  });
});

describe('roles', () => {
  const settings = z.object({ ROLES: rolesSetting(['http', 'archive']) });
  const roles = (ROLES?: string) => [...parseConfig(settings, { ROLES }).ROLES];

  it('takes every role by default', () => {
    expect(roles()).toEqual(['http', 'archive']);
    expect(roles(' archive , archive')).toEqual(['archive']);
  });

  it('refuses unknown roles, and names the known ones', () => {
    expect(() => roles('http,archve')).toThrow('ROLES: not a comma-separated list of http, archive');
  });
});

describe('workers', () => {
  const settings = z.object({ WORKERS: workersSetting() });
  const workers = (WORKERS?: string) => parseConfig(settings, { WORKERS }).WORKERS;

  it('takes one worker by default, a number, or as many as the machine has room for', () => {
    expect([workers(), workers('8'), workers('auto')]).toEqual([1, 8, 'auto']);
  });

  it.each([['0'], ['65'], ['-1'], ['two']])('refuses WORKERS=%s', (value) => {
    expect(() => workers(value)).toThrow('WORKERS: not ');
  });
});

describe('an S3 server', () => {
  const s3 = z.object(objectStoreSettings).check(completeS3);
  const place = { S3_ENDPOINT: 'https://s3.example', S3_BUCKET: 'archive' };
  const token = { AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/token' };

  it.each([
    ['keys', { S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'word' }],
    ['the file of a token', token],
  ])('accepts an S3 server with a bucket and %s', (_, access) => {
    expect(parseConfig(s3, { ...place, ...access })).toMatchObject({ ...place, ...access });
  });

  it.each([
    ['S3_SECRET_KEY', place],
    ['S3_SECRET_KEY', { ...place, ...token, S3_ACCESS_KEY: 'key' }],
    ['S3_BUCKET', { S3_ENDPOINT: 'https://s3.example', ...token }],
  ])('refuses an S3 server without %s', (missing, env) => {
    expect(() => parseConfig(s3, env)).toThrow(`  ${missing}: required`);
  });
});
