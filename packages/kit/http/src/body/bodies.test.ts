import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { IncomingMessage, request } from 'node:http';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { createByteBudget } from '@switchboard/fairness';
import { eventually } from '@switchboard/testkit';
import { Context } from 'hono';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json, KEY, OTHER_KEY, startTestApp, type TestApp } from '../testing/test-app.ts';
import { createBodies } from './bodies.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.stop());

const payload = JSON.stringify({ items: [{ size: 1 }] });
const send = (body: string | Buffer<ArrayBuffer>, encoding?: string) =>
  fetch(`${test.url}/things/x`, {
    method: 'POST',
    body,
    headers: {
      Authorization: `Bearer ${KEY}`,
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    },
  });
const bytesInFlight = async (url = test.url) =>
  /switchboard_bytes_in_flight\{[^}]*\} (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1];

describe('Content-Encoding', () => {
  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
    ['GZIP', zlib.gzipSync],
  ] as const)('decodes the Content-Encoding %s', async (encoding, compress) => {
    const response = await send(compress(payload), encoding);
    expect([response.status, await response.json()]).toEqual([200, { items: [{ size: 1 }] }]);
  });

  it('answers 415 for an unknown Content-Encoding', async () => {
    expect((await send(payload, 'lzma')).status).toBe(415);
    expect((await send(payload, 'gzip, br')).status).toBe(415);
  });

  it('answers 400 for a Content-Encoding that does not match the bytes', async () => {
    const response = await send(payload, 'gzip');
    expect([response.status, (await json(response)).message]).toEqual([400, 'body: not valid gzip']);
  });

  it.each(['gzip', 'br', 'zstd'] as const)('answers 413 at the limit of a %s bomb', async (encoding) => {
    const compress = { gzip: zlib.gzip, br: zlib.brotliCompress, zstd: zlib.zstdCompress }[encoding];
    const bomb = Buffer.from(await promisify<Buffer, Buffer>(compress)(Buffer.alloc(1_000_000, ' ')));
    expect(bomb.length).toBeLessThan(2_000);
    const response = await send(bomb, encoding);
    expect([response.status, (await json(response)).message]).toEqual([
      413,
      'body: larger than 10000 bytes when decompressed',
    ]);
  });
});

it('accepts as many values in a body as the operation allows', async () => {
  const post = (values: number) =>
    fetch(`${test.url}/beacon`, {
      method: 'POST',
      body: `{"n":1,"list":[${'0,'.repeat(values - 3)}0]}`,
      headers: { Authorization: `Bearer ${KEY}` },
    });
  expect((await post(50_000)).status).toBe(200);
  const response = await post(50_001);
  expect([response.status, response.headers.get('x-error')]).toEqual([413, 'body: more than 50000 values']);
});

describe('the limit of bytes on the wire', () => {
  const padded = (bytes: number) => payload + ' '.repeat(bytes - payload.length);

  it('accepts the last allowed byte and refuses one more', async () => {
    expect((await send(padded(2_000))).status).toBe(200);
    expect((await send(padded(2_001))).status).toBe(413);
  });

  it('applies the limit without Content-Length, and the caller gets the response', async () => {
    const status = await new Promise((resolve, reject) => {
      const call = request(`${test.url}/things/x`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${KEY}`, 'Transfer-Encoding': 'chunked' },
      });
      call.on('response', (response) => resolve(response.statusCode)).on('error', reject);
      for (let sent = 0; sent < 5_000; sent += 500) call.write(' '.repeat(500));
      call.end();
    });
    expect(status).toBe(413);
  });
});

it('refuses invalid UTF-8', async () => {
  const response = await send(Buffer.from([0x22, 0xff, 0x22]));
  expect([response.status, (await json(response)).message]).toEqual([400, 'body: not valid UTF-8']);
});

it('reads JSON whatever the Content-Type says', async () => {
  const response = await fetch(`${test.url}/things/x`, {
    method: 'POST',
    body: payload,
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'text/plain' },
  });
  expect(response.status).toBe(200);
});

it('releases the bytes of a body, however a request ends', async () => {
  await Promise.all([
    send(payload),
    send('{'),
    send(zlib.gzipSync(payload), 'gzip'),
    send(payload, 'gzip'),
    send(zlib.gzipSync(Buffer.alloc(1_000_000)), 'gzip'),
    send(' '.repeat(5_000)),
  ]);
  expect(await bytesInFlight()).toBe('0');
});

describe('a body without a key in the header', () => {
  const keyless = (body: string | Buffer<ArrayBuffer>, encoding = 'identity') =>
    fetch(`${test.url}/beacon`, { method: 'POST', body, headers: { 'Content-Encoding': encoding } });
  const ofSize = (bytes: number) => {
    const text = JSON.stringify({ n: 1, api_key: KEY });
    return text + ' '.repeat(bytes - text.length);
  };

  it('accepts a keyless body of 64 KiB, which is what sendBeacon sends', async () => {
    expect((await keyless(ofSize(65_536))).status).toBe(200);
    const response = await keyless(ofSize(65_537));
    expect([response.status, response.headers.get('x-error')]).toEqual([
      413,
      'body: larger than 65536 bytes without a key in the header. Send it as Authorization: Bearer <key>.',
    ]);
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
  ] as const)('accepts a keyless body that decompresses to 64 KiB: %s', async (encoding, compress) => {
    expect((await keyless(compress(ofSize(65_536)), encoding)).status).toBe(200);
    expect((await keyless(compress(ofSize(65_537)), encoding)).status).toBe(413);
  });

  it('decompresses no keyless body that begins with its length', async () => {
    const whole = zlib.brotliCompressSync(Buffer.alloc(1_000_000, 'x'));
    const start = Buffer.concat([whole.subarray(0, 5), Buffer.alloc(100, 0xff)]);
    expect((await keyless(start, 'br')).status).toBe(413);
    expect((await keyless(zlib.brotliCompressSync(''), 'br')).status).toBe(401);
  });

  it('decompresses a brotli body that refers to all of itself in a smaller window', async () => {
    const half = randomBytes(16_000).toString('hex');
    const text = JSON.stringify({ n: 1, api_key: KEY, first: half, second: half });
    expect((await keyless(zlib.brotliCompressSync(text), 'br')).status).toBe(200);
  });

  it('stops decompressing a keyless body soon after the limit', async () => {
    // The first block is short. The length of the second is only known after decompression.
    const stream = zlib.createBrotliCompress();
    for (const bytes of [100, 1_000_000]) {
      stream.write(Buffer.alloc(bytes, 'x'));
      await new Promise<void>((resolve) => stream.flush(resolve));
    }
    const wrongAfterMegabyte = Buffer.concat([stream.read(), Buffer.alloc(100, 0xff)]);
    expect((await keyless(wrongAfterMegabyte, 'br')).status).toBe(413);
    expect((await keyless(wrongAfterMegabyte.subarray(-50), 'br')).status).toBe(401);
  });
});

/** Sends the first bytes of a body and waits before sending the rest. */
function open(url: string, bytes: number, { key = KEY, address = '192.0.2.1' } = {}) {
  const call = request(`${url}/beacon`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'X-Forwarded-For': address },
  });
  const status = new Promise<number>((resolve) => {
    call
      .on('response', (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', () => resolve(0));
  });
  call.write(Buffer.alloc(bytes, ' '));
  return { call, status };
}

describe('the limit of bytes in flight', () => {
  const BYTES = 240_000;
  const from = (url: string, key: string, address: string, body: string | Buffer<ArrayBuffer>) =>
    fetch(`${url}/beacon`, {
      method: 'POST',
      body,
      headers: { Authorization: `Bearer ${key}`, 'X-Forwarded-For': address },
    });
  let small: TestApp;
  beforeEach(async () => {
    small = await startTestApp({ MAX_BYTES_IN_FLIGHT: '1000000', TRUSTED_PROXY_HOPS: '1' });
  });
  afterEach(() => small.stop());

  it('answers 503 with Retry-After to one address or project that uses more than half of the bytes in flight', async () => {
    const body = Buffer.alloc(BYTES, ' ');
    const stalled = [
      ...Array.from({ length: 6 }, () => open(small.url, BYTES)),
      ...Array.from({ length: 6 }, (_, i) => open(small.url, BYTES, { address: `192.0.2.${i}` })),
    ];
    await eventually(async () =>
      expect(Number(await bytesInFlight(small.url))).toBeGreaterThanOrEqual(BYTES),
    );
    const refused = await from(small.url, KEY, '192.0.2.7', body);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused.headers.get('x-error')).toMatch(
      /^Too many bytes in flight from this address or project\./,
    );
    expect((await from(small.url, OTHER_KEY, '192.0.2.1', body)).status).toBe(503);
    expect((await from(small.url, OTHER_KEY, '198.51.100.1', body)).status).toBe(400);
    expect(Number(await bytesInFlight(small.url))).toBeLessThanOrEqual(500_000);
    for (const { call } of stalled) call.destroy();
    await eventually(async () => expect(await bytesInFlight(small.url)).toBe('0'));
    expect((await from(small.url, KEY, '192.0.2.7', body)).status).toBe(400);
  });

  it('compares the Content-Length with the limit before it reads the body', async () => {
    const held = [open(small.url, BYTES), open(small.url, BYTES)];
    await eventually(async () => expect(await bytesInFlight(small.url)).toBe(String(2 * BYTES)));
    const announced = request(`${small.url}/beacon`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${KEY}`, 'X-Forwarded-For': '192.0.2.9', 'Content-Length': BYTES },
    });
    const answer = new Promise((resolve) =>
      announced.on('response', (response) => resolve(response.resume().statusCode)),
    );
    announced.flushHeaders();
    expect(await answer).toBe(503);
    for (const one of [...held.map(({ call }) => call), announced])
      one.on('error', () => undefined).destroy();
  });

  it('counts the memory of parsed bodies', async () => {
    const dense = JSON.stringify({ n: 1, list: Array.from({ length: 20_000 }, () => []) });
    expect(dense.length).toBeLessThan(61_000);
    expect((await from(small.url, KEY, '192.0.2.1', dense)).status).toBe(200);
    const { call } = open(small.url, BYTES, { key: OTHER_KEY, address: '198.51.100.1' });
    await eventually(async () => expect(await bytesInFlight(small.url)).toBe(String(BYTES)));
    expect((await from(small.url, KEY, '192.0.2.1', dense)).status).toBe(503);
    call.destroy();
  });
});

it('drops a body when its connection ends while access is checked', async () => {
  const incoming = new IncomingMessage(new Socket());
  await once(incoming.destroy(), 'close');
  const c = new Context(new Request('http://switchboard.example'), {
    env: { incoming, address: '192.0.2.1' },
  });
  const bodies = createBodies(createByteBudget(1_000));
  const read = bodies.read(c, bodies.reserve(c), { maxBytes: 10 });
  await expect(read).rejects.toThrow('The connection was lost');
});

it('answers 408 when a body stalls or drips, and reads a slow but steady one', async () => {
  const dripped = open(test.url, 1);
  const stalled = open(test.url, 100_000);
  const steady = open(test.url, 1);
  const drip = setInterval(() => dripped.call.write(' '), 1_000);
  const pour = setInterval(() => steady.call.write(' '.repeat(2_048)), 1_000);
  expect(await Promise.all([dripped.status, stalled.status])).toEqual([408, 408]);
  clearInterval(drip);
  clearInterval(pour);
  steady.call.end('{"n": 1}');
  expect(await steady.status).toBe(200);
  await eventually(async () => expect(await bytesInFlight()).toBe('0'));
});
