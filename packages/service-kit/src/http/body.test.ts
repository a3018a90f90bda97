import { request } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, KEY, startTestApp, type TestApp } from '../testing/test-app.ts';

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
  ] as const)('%s is undone', async (encoding, compress) => {
    const response = await send(compress(payload), encoding);
    expect([response.status, await response.json()]).toEqual([200, { items: [{ size: 1 }] }]);
  });

  it('that is unknown is 415', async () => {
    expect((await send(payload, 'lzma')).status).toBe(415);
    expect((await send(payload, 'gzip, br')).status).toBe(415);
  });

  it('that does not match the bytes is 400', async () => {
    const response = await send(payload, 'gzip');
    expect([response.status, (await json(response)).message]).toEqual([400, 'body: not valid gzip']);
  });

  it.each(['gzip', 'br', 'zstd'] as const)('of a %s bomb is 413 at the limit', async (encoding) => {
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

describe('the limit on the wire', () => {
  const padded = (bytes: number) => payload + ' '.repeat(bytes - payload.length);

  it('accepts the last byte and refuses one more', async () => {
    expect((await send(padded(2_000))).status).toBe(200);
    expect((await send(padded(2_001))).status).toBe(413);
  });

  it('applies without Content-Length, and the caller gets the response', async () => {
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

it('releases its bytes, however a request ends', async () => {
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

it('answers 503 with Retry-After beyond the limit of bytes in flight', async () => {
  const small = await startTestApp({ MAX_BYTES_IN_FLIGHT: '1000000' });
  try {
    const chunk = Buffer.alloc(240_000, ' ');
    const open = Array.from({ length: 4 }, () => {
      const call = request(`${small.url}/beacon`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${KEY}` },
      });
      call.on('error', () => undefined).write(chunk);
      return call;
    });
    await eventually(async () => expect(await bytesInFlight(small.url)).toBe('960000'));
    const send = () =>
      fetch(`${small.url}/beacon`, {
        method: 'POST',
        body: chunk,
        headers: { Authorization: `Bearer ${KEY}` },
      });
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    for (const call of open) call.destroy();
    await eventually(async () => expect((await send()).status).toBe(400));
  } finally {
    await small.stop();
  }
});
