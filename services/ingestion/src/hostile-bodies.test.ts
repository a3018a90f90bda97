import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { group, identify, ingestEvents, uploadReplayChunk } from '@switchboard/contracts';
import { call, type Program } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batch, event, KEY, startIngestion, type TestIngestion } from './testing/service.ts';

/** Tests bodies that cost more to process than to send. The limits themselves are tested in packages/kit/http. */

const withKey = { Authorization: `Bearer ${KEY}` };
const MIB = 1024 * 1024;

let ingestion: TestIngestion;
beforeAll(async () => {
  ingestion = await startIngestion();
});
afterAll(() => ingestion.stop());

const send = (body: unknown, headers: Record<string, string> = withKey) =>
  ingestion.post('/v1/events', body, headers);
const level = (value: number) => ({ params: { [constants.ZSTD_c_compressionLevel]: value } });
const messageOf = ({ body }: { body: unknown }) => Object(body).message;

describe('a body that expands', () => {
  const padded = Buffer.from(JSON.stringify(batch([event()])) + ' '.repeat(5 * MIB));

  it.each([
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('answers 413 to a %s body that expands a thousandfold', async (encoding, compress) => {
    const answer = await send(compress(padded), { ...withKey, 'Content-Encoding': encoding });
    expect(answer.status).toBe(413);
    expect(messageOf(answer)).toBe('body: expands to more than 1000 times its size as sent');
  });

  it('accepts a body of up to 4 MiB whatever its ratio, and one that expands twentyfold up to the limit', async () => {
    const small = Buffer.from(JSON.stringify(batch([event()])) + ' '.repeat(4 * MIB - 1000));
    expect((await send(zstdCompressSync(small), { ...withKey, 'Content-Encoding': 'zstd' })).status).toBe(
      202,
    );
    const events = Array.from({ length: 1_000 }, () =>
      event({ properties: { text: randomBytes(450).toString('hex').repeat(16) } }),
    );
    const large = Buffer.from(JSON.stringify(batch(events)));
    expect(large.length).toBeGreaterThan(13 * MIB);
    expect((await send(gzipSync(large), { ...withKey, 'Content-Encoding': 'gzip' })).status).toBe(202);
  });

  it.each([
    ['br', (bytes: Buffer) => brotliCompressSync(bytes)],
    ['zstd', (bytes: Buffer) => zstdCompressSync(bytes, level(19))],
  ] as const)('accepts a %s body of 1,000 similar events', async (encoding, compress) => {
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`property_${i}`, `the same ${i} text in every event`]),
    );
    const events = Array.from({ length: 1_000 }, (_, i) => event({ event_id: `alike-${i}`, properties }));
    const bytes = Buffer.from(JSON.stringify(batch(events)));
    const sent = compress(bytes);
    expect(bytes.length).toBeGreaterThan(200 * sent.length);
    expect((await send(sent, { ...withKey, 'Content-Encoding': encoding })).status).toBe(202);
  });

  it('accepts a body of large similar events up to the limit', async () => {
    const text = Array.from({ length: 13 }, () => randomBytes(375).toString('hex')).join(' ');
    const events = Array.from({ length: 1_000 }, () =>
      event({ event_id: randomUUID(), properties: { text } }),
    );
    const bytes = Buffer.from(JSON.stringify(batch(events)));
    const sent = zstdCompressSync(bytes);
    expect(bytes.length).toBeGreaterThan(9 * MIB);
    expect(bytes.length).toBeGreaterThan(100 * sent.length);
    expect((await send(sent, { ...withKey, 'Content-Encoding': 'zstd' })).status).toBe(202);
  });

  it('answers 400 to a zstd window above 8 MiB', async () => {
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
  it.each([
    ['/v1/events', ingestEvents, 150_000],
    ['/v1/identify', identify, 50_000],
    ['/v1/group', group, 50_000],
    ['/v1/replay', uploadReplayChunk, 10_000],
  ] as const)(
    'answers 413 to a body of more values than the limit of %s',
    async (path, { maxBodyValues }, bound) => {
      expect(maxBodyValues).toBe(bound);
      const values = (count: number) => `{"more":[${'0,'.repeat(count - 2)}0]}`;
      expect((await ingestion.post(path, values(bound))).status).toBe(400);
      const answer = await ingestion.post(path, values(bound + 1));
      expect(answer.status).toBe(413);
      expect(answer.headers.get('x-error') ?? messageOf(answer)).toBe(`body: more than ${bound} values`);
    },
  );

  it('accepts as many events with as many properties as the interface describes', async () => {
    const properties = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`property_${i}`, i]));
    const context = { locale: 'en', os: 'Linux', sdk: 'web', sdk_version: '1' };
    const events = Array.from({ length: 1_000 }, () =>
      event({ properties, context, session_id: 'session-1' }),
    );
    expect((await send(batch(events))).status).toBe(202);
  });

  it('accepts many values that are characters of a text', async () => {
    const text = '{[,"\\'.repeat(50_000);
    expect((await send(batch([event({ properties: { text } })]))).status).toBe(202);
  });
});

describe('a flood of large compressed chunks', () => {
  let service: Program;
  beforeAll(async () => {
    service = await ingestion.spawn({ env: { MAX_BYTES_IN_FLIGHT: '64000000' } });
  });
  afterAll(() => service?.stop());

  it('limits the memory of many compressed chunks, however much they decompress to', async () => {
    // 24 MiB that compress to a sixtieth.
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
  });
});
