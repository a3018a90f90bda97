import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { call, type Program } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batch, event, KEY, startIngestion, type TestIngestion } from './testing/service.ts';

/** Bodies that cost more than they send. The limits themselves are tested in service-kit. */

const withKey = { Authorization: `Bearer ${KEY}` };
const MIB = 1024 * 1024;

let ingestion: TestIngestion;
beforeAll(async () => {
  ingestion = await startIngestion();
});
afterAll(() => ingestion.stop());

const send = (body: unknown, headers: Record<string, string> = withKey) =>
  ingestion.post('/v1/events', body, headers);
const messageOf = ({ body }: { body: unknown }) => Object(body).message;

describe('a body that expands', () => {
  const padded = Buffer.from(JSON.stringify(batch([event()])) + ' '.repeat(5 * MIB));

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('a hundredfold is 413: %s', async (encoding, compress) => {
    const answer = await send(compress(padded), { ...withKey, 'Content-Encoding': encoding });
    expect(answer.status).toBe(413);
    expect(messageOf(answer)).toBe('body: expands to more than 100 times its size as sent');
  });

  it('is accepted up to 1 MiB whatever its ratio, and twentyfold up to the limit', async () => {
    const small = Buffer.from(JSON.stringify(batch([event()])) + ' '.repeat(MIB - 1000));
    expect((await send(gzipSync(small), { ...withKey, 'Content-Encoding': 'gzip' })).status).toBe(202);
    const events = Array.from({ length: 1_000 }, () =>
      event({ properties: { text: randomBytes(450).toString('hex').repeat(16) } }),
    );
    const large = Buffer.from(JSON.stringify(batch(events)));
    expect(large.length).toBeGreaterThan(13 * MIB);
    expect((await send(gzipSync(large), { ...withKey, 'Content-Encoding': 'gzip' })).status).toBe(202);
  });

  it('with a zstd window above 8 MiB is 400', async () => {
    const params = {
      [constants.ZSTD_c_windowLog]: 24,
      [constants.ZSTD_c_contentSizeFlag]: 0,
      [constants.ZSTD_c_compressionLevel]: 1,
    };
    const body = Buffer.from(
      JSON.stringify(batch([event({ properties: { text: randomBytes(MIB / 2).toString('hex') } })])),
    );
    const answer = await send(
      zstdCompressSync(Buffer.concat([body, Buffer.alloc(18 * MIB, ' ')]), { params }),
      {
        ...withKey,
        'Content-Encoding': 'zstd',
      },
    );
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toBe('body: zstd window larger than 8 MiB. Compress it with a smaller window.');
  });
});

describe('a body of many values', () => {
  it('is 413 above 500,000', async () => {
    const answer = await send(`{"events": [${'[],'.repeat(250_000)}[]]}`);
    expect(answer.status).toBe(413);
    expect(messageOf(answer)).toBe('body: more than 500000 values');
  });

  it('is accepted when they are characters of a text', async () => {
    const text = '{[,"\\'.repeat(110_000);
    expect((await send(batch([event({ properties: { text } })]))).status).toBe(202);
  });
});

describe('a flood of large compressed chunks', () => {
  let service: Program;
  beforeAll(async () => {
    service = await ingestion.spawn({ env: { MAX_BYTES_IN_FLIGHT: '64000000' } });
  });
  afterAll(() => service?.stop());

  it('takes memory within the limit, however much it decompresses to', async () => {
    // 24 MiB that shrink sixtyfold.
    const blocks = Array.from({ length: 24 * 16 }, () => randomBytes(512).toString('hex').repeat(64));
    const chunk = gzipSync(JSON.stringify({ events: blocks }));
    const headers = { ...withKey, 'Content-Encoding': 'gzip' };
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => call('POST', `${service.url}/v1/replay`, { body: chunk, headers })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 503]));
    const peakKiB = Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${service.pid}/status`, 'utf8'))?.[1]);
    expect(peakKiB).toBeLessThan(600 * 1024);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(/switchboard_bytes_in_flight\{[^}]*\} (\d+)/.exec(metrics)?.[1]).toBe('0');
    expect(
      (await call('POST', `${service.url}/v1/events`, { body: batch([event()]), headers: withKey })).status,
    ).toBe(202);
  }, 60_000);
});
