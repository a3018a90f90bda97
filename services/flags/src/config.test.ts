import { parseConfig } from '@switchboard/runtime';
import { describe, expect, it } from 'vitest';
import { flagsSettings } from './config.ts';

const env = {
  REGION: 'eu',
  AUTH_ISSUER: 'https://issuer.test',
  AUTH_AUDIENCE: 'switchboard',
  AUTH_JWKS_URL: 'https://issuer.test/jwks.json',
  CONSOLE_URL: 'https://console.test',
  DATABASE_URL: 'postgres://localhost/flags',
  PUBLIC_API_URL: 'https://api.test/',
  WEBHOOK_SECRET: 'a secret of thirty-two characters or more',
};

describe('the settings of the flags service', () => {
  it('has defaults for all settings except addresses', () => {
    expect(parseConfig(flagsSettings, env)).toMatchObject({
      PUBLIC_API_URL: 'https://api.test',
      STATE_TIMEOUT_MS: 1000,
    });
  });

  it('names all invalid settings', () => {
    const wrong = { ...env, PUBLIC_API_URL: 'wss://api.test', STATE_TIMEOUT_MS: '0', DATABASE_URL: '' };
    const message = /PUBLIC_API_URL: not an http[\s\S]*STATE_TIMEOUT_MS: not between 10 and 60000/;
    expect(() => parseConfig(flagsSettings, wrong)).toThrow(message);
    expect(() => parseConfig(flagsSettings, wrong)).toThrow('DATABASE_URL: required');
  });
});
