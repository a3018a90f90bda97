import { createRateLimits, RateLimited } from '@switchboard/http';
import { expect, it } from 'vitest';
import { startIdentity } from '../testing/harness.ts';
import { createLimits, networkOf } from './limits.ts';

it('counts guesses of an account across addresses, and guesses of a network across accounts', async () => {
  const limits = createLimits(createRateLimits(undefined), 1);
  for (let i = 0; i < 15; i++) await limits.guess(`198.51.${i}.7`, 'ada@acme.example');
  await expect(limits.guess('203.0.113.9', 'ada@acme.example')).rejects.toThrow(RateLimited);
  for (let i = 0; i < 300; i++) await limits.guess(`192.0.2.${i % 250}`, `person-${i}@acme.example`);
  await expect(limits.guess('192.0.2.251', 'grace@acme.example')).rejects.toThrow(RateLimited);
});

it('takes the first three bytes of IPv4 and the first 48 bits of IPv6 as the network', () => {
  expect(networkOf('198.51.100.7')).toBe('198.51.100');
  expect(networkOf('2001:db8:1:2::/64')).toBe('2001.db8.1');
});

it('answers a page and Retry-After to an address that guesses too often, and lets others sign in', async () => {
  const identity = await startIdentity({ env: { RATE_LIMITS_MULTIPLIER: '1' } });
  await identity.setUp();
  const browser = identity.browser();
  await browser.open(`${identity.issuer}/sign-in/account`);
  for (let i = 0; i < 16; i++) {
    if (browser.status === 429) break;
    await browser.submit({ email: 'ada@acme.example', password: 'wrong' });
  }
  expect([browser.status, browser.html]).toEqual([429, expect.stringContaining('Too many attempts')]);
  expect(Number(browser.headers.get('retry-after'))).toBeGreaterThan(0);
  await identity.stop();
});
