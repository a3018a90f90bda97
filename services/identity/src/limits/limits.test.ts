import { createRateLimits, RateLimited } from '@switchboard/http';
import { createEncryption } from '@switchboard/runtime';
import { expect, it } from 'vitest';
import { OWNER, PASSWORD, startIdentity } from '../testing/harness.ts';
import { createDevices } from './devices.ts';
import { createLimits, networkOf } from './limits.ts';

it('counts guesses of a network to one account, and those of every network to it', async () => {
  const limits = createLimits(createRateLimits(undefined), 1);
  const guess = (address: string, device?: string) =>
    limits.guessPassword(address, 'ada@acme.example', device);
  for (let i = 0; i < 15; i++) await guess(`198.51.100.${i}`);
  await expect(guess('198.51.100.99')).rejects.toThrow(RateLimited);
  for (let i = 0; i < 85; i++) await guess(`203.0.${i}.9`);
  await expect(guess('192.0.2.1')).rejects.toThrow(RateLimited);
});

it('counts guesses of a network across accounts', async () => {
  const limits = createLimits(createRateLimits(undefined), 1);
  const guess = (i: number) =>
    limits.guessPassword(`192.0.2.${i % 250}`, `person-${i}@acme.example`, undefined);
  for (let i = 0; i < 300; i++) await guess(i);
  await expect(guess(301)).rejects.toThrow(RateLimited);
});

it('leaves a known device its own attempts while others guess, and bounds them', async () => {
  const limits = createLimits(createRateLimits(undefined), 1);
  const guess = (address: string, device?: string) =>
    limits.guessPassword(address, 'ada@acme.example', device);
  for (let i = 0; i < 101; i++) await guess(`203.0.${i}.9`).catch(() => undefined);
  await expect(guess('198.51.100.7')).rejects.toThrow(RateLimited);
  for (let i = 0; i < 15; i++) await guess('198.51.100.7', 'laptop');
  await expect(guess('198.51.100.7', 'laptop')).rejects.toThrow(RateLimited);
});

it('counts guesses of a code across addresses', async () => {
  const limits = createLimits(createRateLimits(undefined), 1);
  for (let i = 0; i < 15; i++) await limits.guessCode(`198.51.${i}.7`, 'usr_1');
  await expect(limits.guessCode('203.0.113.9', 'usr_1')).rejects.toThrow(RateLimited);
});

it('knows a browser by the cookie of its last sign-in, for that address only', async () => {
  const secrets = ['a secret of a test with 32 or more characters'];
  const devices = createDevices(createEncryption({ secrets, purpose: 'test' }));
  const cookie = await devices.issue('ada@acme.example');
  expect(await devices.idOf(cookie, 'ada@acme.example')).toBeTypeOf('string');
  for (const [value, email] of [
    [cookie, 'grace@acme.example'],
    ['forged', 'ada@acme.example'],
    [undefined, 'ada@acme.example'],
  ] as const) {
    expect(await devices.idOf(value, email)).toBeUndefined();
  }
});

it('bounds the device codes and authorizations of an address together', async () => {
  const identity = await startIdentity({ env: { RATE_LIMITS_MULTIPLIER: '1' } });
  const ask = (path: string) =>
    fetch(`${identity.issuer}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'unknown' }),
      headers: { Origin: identity.origin },
    });
  const allowed = new Set<number>();
  for (let i = 0; i < 20; i++) {
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask('/device/authorize')));
    for (const { status } of answers) allowed.add(status);
  }
  expect(allowed).not.toContain(429);
  for (const path of ['/device/authorize', '/authorize']) {
    const refused = await ask(path);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
  }
  await identity.stop();
});

it('takes the first three bytes of IPv4 and the first 48 bits of IPv6 as the network', () => {
  expect(networkOf('198.51.100.7')).toBe('198.51.100');
  expect(networkOf('2001:db8:1:2::/64')).toBe('2001.db8.1');
});

it('answers a page and Retry-After to an address that guesses too often, and lets others sign in', async () => {
  const identity = await startIdentity({ env: { RATE_LIMITS_MULTIPLIER: '1' } });
  const owner = await identity.setUp();
  await owner.open(`${identity.issuer}/account`);
  const browser = identity.browser();
  await browser.open(`${identity.issuer}/sign-in/account`);
  for (let i = 0; i < 16; i++) {
    if (browser.status === 429) break;
    await browser.submit({ email: 'ada@acme.example', password: 'wrong' });
  }
  expect([browser.status, browser.html]).toEqual([429, expect.stringContaining('Too many attempts')]);
  expect(Number(browser.headers.get('retry-after'))).toBeGreaterThan(0);
  await owner.submit({}, '/sign-out');
  await owner.open(`${identity.issuer}/sign-in/account`);
  await owner.submit({ email: OWNER.email, password: PASSWORD });
  expect(owner.html).toContain('Your account');
  await identity.stop();
});
