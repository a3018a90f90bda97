import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { OTHER_KEY, startTestApp } from '../testing/test-app.ts';
import { delayRefusals } from './late-refusals.ts';

const REPEATED = 50;

test('delays refusals that a client repeats, but not those of others or accepted requests', async () => {
  const { url, stop } = await startTestApp({ TRUSTED_PROXY_HOPS: '1' });
  onTestFinished(stop);
  const ask = (headers: Record<string, string>) =>
    fetch(`${url}/things/x`, { headers }).then(({ status }) => status);
  const repeated = Promise.all(
    Array.from({ length: REPEATED }, () => ask({ 'X-Forwarded-For': '203.0.113.1' })),
  );
  const others = (async () => [
    await ask({ 'X-Forwarded-For': '203.0.113.2' }),
    await ask({ 'X-Forwarded-For': '203.0.113.1', Authorization: `Bearer ${OTHER_KEY}` }),
  ])();
  const first = await Promise.race([repeated.then(() => 'repeated'), others.then(() => 'others')]);
  expect(first).toBe('others');
  expect(await others).toEqual([401, 200]);
  expect(new Set(await repeated)).toEqual(new Set([401]));
});

const ONE = '203.0.113.1';

function refuse(times: number, status: number, delay = delayRefusals(), addressOf = (_: number) => ONE) {
  const later: Promise<Response>[] = [];
  for (let time = 0; time < times; time++) {
    const answer = delay(new Response(null, { status }), { requestId: '', address: addressOf(time) });
    if (answer instanceof Promise) later.push(answer);
  }
  return later;
}

describe('refusals with a controlled clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('delays a refusal for at most two seconds', async () => {
    const later = refuse(200, 429);
    expect(later.length).toBeGreaterThan(150);
    let answered = 0;
    for (const one of later) one.then(() => answered++);
    await vi.advanceTimersByTimeAsync(2_001);
    expect(answered).toBe(later.length);
  });

  test('delays the refusals of many addresses', () => {
    const later = refuse(200, 401, delayRefusals(), (time) => `address ${time}`);
    expect(later.length).toBeGreaterThan(100);
    expect(later.length).toBeLessThan(150);
  });

  test('delays a limited number of refusals at a time, and none with a status that clients do not repeat', async () => {
    const delay = delayRefusals();
    expect(refuse(2_000, 401, delay)).toHaveLength(500);
    await vi.advanceTimersByTimeAsync(2_001);
    expect(refuse(100, 413, delay).length).toBeGreaterThan(50);
    for (const status of [200, 202, 304, 400, 403, 404, 409, 412, 503])
      expect(refuse(100, status, delay)).toEqual([]);
  });
});
