import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { anyEvents } from '@switchboard/contracts/testing';
import { startKafka } from '@switchboard/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  batch,
  event,
  KEY,
  linesOf,
  PARTITIONS,
  PROJECT,
  partitionOf,
  startIngestion,
  type TestIngestion,
  US_KEY,
} from '../testing/service.ts';

const withKey = { Authorization: `Bearer ${KEY}` };

const kafka = await startKafka();
afterAll(() => kafka?.stop());

describe.each(['PostgreSQL', 'Kafka'])('events on %s', (name) => {
  const isMissing = name === 'Kafka' && kafka === undefined;
  let ingestion: TestIngestion;
  beforeAll(async () => {
    if (isMissing) return;
    ingestion = await startIngestion({ kafkaBrokers: name === 'Kafka' ? kafka?.brokers : undefined });
  });
  afterAll(() => ingestion?.stop());

  const send = (body: unknown, headers?: Record<string, string>) =>
    ingestion.post('/v1/events', body, headers);
  const published = () => ingestion.published('events');

  describe.skipIf(isMissing)('the topic', () => {
    it('publishes an accepted batch as one record per partition, with each person in order', async () => {
      const people = Array.from({ length: 20 }, (_, i) => `user-${i}`);
      const events = people.flatMap((distinct_id) => [event({ distinct_id }), event({ distinct_id })]);
      const sentAt = new Date().toISOString();
      const answer = await send(batch(events, sentAt));
      expect(answer).toMatchObject({ status: 202, body: { accepted: 40 } });
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');

      const records = await published();
      expect(records.length).toBe(new Set(people.map(partitionOf)).size);
      for (const record of records) {
        expect(record.key).toBe(PROJECT);
        expect(record.headers).toMatchObject({ project: PROJECT, sent_at: sentAt });
        expect(record.headers['count']).toBe(String(linesOf([record]).length));
        expect(Date.parse(record.headers['received_at'] ?? '')).toBeGreaterThanOrEqual(
          Date.parse(sentAt) - 1,
        );
        for (const line of linesOf([record])) {
          expect(partitionOf(String(line['distinct_id']))).toBe(record.partition);
        }
      }
      const lines = linesOf(records);
      for (const person of people) {
        const sent = events.filter(({ distinct_id }) => distinct_id === person);
        const stored = lines.filter((line) => line['distinct_id'] === person);
        expect(stored).toEqual(sent.map((one) => ({ ...one, occurred_at: one.timestamp })));
      }
    });

    it('marks the records of a known bot', async () => {
      const agent = (name: string) => ({ ...withKey, 'User-Agent': `Mozilla/5.0 ${name}/142.0` });
      await send(batch([event()]), agent('Googlebot'));
      await send(batch([event()]), agent('(X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox'));
      const marks = (await published()).slice(-2).map(({ headers }) => headers['bot']);
      expect(marks.sort()).toEqual(['true', undefined]);
    });

    it('keeps the order of a person across concurrent requests', async () => {
      const rounds = Array.from({ length: 8 }, (_, i) => i);
      for (const round of rounds) {
        const answers = await Promise.all(
          ['ada', 'bob', 'eve'].map((distinct_id) =>
            send(batch([event({ distinct_id, schema_version: round })])),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      }
      const records = await published();
      for (const person of ['ada', 'bob', 'eve']) {
        const partition = records
          .filter((record) => record.partition === partitionOf(person))
          .sort((a, b) => Number(a.offset - b.offset));
        const versions = linesOf(partition)
          .filter((line) => line['distinct_id'] === person)
          .map((line) => line['schema_version']);
        expect(versions).toEqual(rounds);
      }
    });

    it('publishes the same time for an event, however often and late its batch is sent again', async () => {
      const firstSent = new Date(Date.now() - 3 * 3_600_000).toISOString();
      const unchanged = batch([event({ timestamp: firstSent })], firstSent);
      for (let attempt = 0; attempt < 2; attempt++) expect((await send(unchanged)).status).toBe(202);
      const lines = linesOf(await published());
      expect(lines.map((line) => line['occurred_at'])).toEqual([firstSent, firstSent]);
    });

    it('publishes a repeated event_id of a batch once, and counts both', async () => {
      const twice = event();
      const answer = await send(batch([twice, { ...twice, event_name: 'again' }, event()]));
      expect(answer.body).toEqual({ accepted: 3 });
      const lines = linesOf(await published());
      expect(lines).toHaveLength(2);
      expect(lines.find((line) => line['event_id'] === twice.event_id)).toMatchObject({
        event_name: 'page viewed',
      });
    });

    it.each([
      ['gzip', gzipSync],
      ['GZIP', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ])('publishes a batch that was sent with Content-Encoding %s', async (encoding, compress) => {
      const sent = event({
        properties: { text: 'é👩‍🚀\u2028 "quoted" \\ \n', deep: { list: [1, null, 'x'] } },
      });
      const answer = await send(compress(Buffer.from(JSON.stringify(batch([sent])))), {
        ...withKey,
        'Content-Encoding': encoding,
      });
      expect(answer.status).toBe(202);
      expect(linesOf(await published())).toEqual([{ ...sent, occurred_at: sent.timestamp }]);
    });

    it('publishes an event of 900 kB, and a batch of 1,000 in records of up to 900 kB', async () => {
      const bare = event({ properties: { text: '' } });
      const room = 900_000 - Buffer.byteLength(JSON.stringify(bare));
      const largest = { ...bare, properties: { text: 'x'.repeat(room) } };
      const others = Array.from({ length: 999 }, (_, i) =>
        event({ distinct_id: `user-${i}`, properties: { text: 'y'.repeat(3000) } }),
      );
      const answer = await send(batch([largest, ...others]));
      expect(answer.body).toEqual({ accepted: 1000 });
      const records = await published();
      expect(linesOf(records)).toHaveLength(1000);
      expect(records.filter(({ value }) => (value?.length ?? 0) > 900_000)).toHaveLength(1);
    });

    it('publishes any valid batch, complete and in order', async () => {
      await fc.assert(
        fc.asyncProperty(anyEvents, async (events) => {
          const answer = await send(batch(events));
          expect(answer).toMatchObject({ status: 202, body: { accepted: events.length } });
          const lines = linesOf(await published());
          const first = new Map(events.map((one) => [one.event_id, one] as const).reverse());
          expect(lines).toHaveLength(first.size);
          for (const person of new Set(events.map(({ distinct_id }) => distinct_id))) {
            const sent = events.filter(
              (one) => first.get(one.event_id) === one && one.distinct_id === person,
            );
            const stored = lines.filter((line) => line['distinct_id'] === person);
            expect(stored.map((line) => line['event_id'])).toEqual(sent.map(({ event_id }) => event_id));
            expect(stored.map((line) => line['properties'])).toEqual(
              sent.map(({ properties }) => properties && JSON.parse(JSON.stringify(properties))),
            );
          }
        }),
        { numRuns: 15 },
      );
    });

    it('publishes nothing of a rejected batch', async () => {
      const answers = [
        await send(batch([event(), event({ timestamp: 'yesterday' })])),
        await send(batch([event(), event({ properties: { text: 'x'.repeat(900_000) } })])),
        await send(batch([])),
        await send(batch(Array.from({ length: 1001 }, () => event()))),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 413, 400, 400]);
      expect(await published()).toEqual([]);
    });
  });
});

describe('an events request', () => {
  let ingestion: TestIngestion;
  beforeAll(async () => {
    ingestion = await startIngestion();
  });
  afterAll(() => ingestion.stop());
  const send = (body: unknown, headers?: Record<string, string>) =>
    ingestion.post('/v1/events', body, headers);

  it.each([
    ['events[1].timestamp', { timestamp: '2026-02-30T00:00:00Z' }, /not an RFC 3339 date-time/],
    ['events[1].distinct_id', { distinct_id: '' }, /empty/],
    ['events[1].distinct_id', { distinct_id: ' ' }, /only white space/],
    ['events[1].event_id', { event_id: '\t\n' }, /only white space/],
    ['events[1].session_id', { session_id: '  ' }, /only white space/],
    ['events[1].distinct_id', { distinct_id: '👩'.repeat(201) }, /longer than 200/],
    ['events[1].event_id', { event_id: 7 }, /string/],
    ['events[1].event_name', { event_name: undefined }, /required/],
    ['events[1].event_name', { event_name: 'a\0b' }, /NUL/],
    ['events[1].schema_version', { schema_version: 1.5 }, /int/],
    ['events[1].session_id', { session_id: '' }, /empty/],
    ['events[1].properties', { properties: [] }, /object/],
    ['events[1].context.os', { context: { os: 5 } }, /string/],
  ])('names %s when it is not valid: %j', async (path, fields, reason) => {
    const answer = await send(batch([event(), event(fields)]));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    const { message } = Object(answer.body);
    expect(message.startsWith(`${path}: `)).toBe(true);
    expect(message).toMatch(reason);
  });

  it.each([
    ['invalid JSON', '{"events": [', /^body: /],
    ['an array', '[]', /^body: /],
    ['no events', '{"sent_at": "2026-03-01T09:30:00Z"}', /^events: required/],
    ['no sent_at', JSON.stringify({ events: [event()] }), /^sent_at: required/],
    ['an empty batch', JSON.stringify(batch([])), /^events: empty/],
  ])('rejects an events request with %s', async (_, body, message) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(Object(answer.body).message).toMatch(message);
  });

  it('answers 413 to an event over 900 kB, and names it', async () => {
    const answer = await send(batch([event(), event({ properties: { text: '€'.repeat(300_000) } })]));
    expect(answer.status).toBe(413);
    expect(Object(answer.body).message).toMatch(/^events\[1\]: larger than 900000 bytes/);
  });

  it.each([
    [15_000, 'events[0]: nested too deeply'],
    [50_000, 'body: nested deeper than 5000 levels'],
  ])('answers 400 to a body nested %d levels deep', async (levels, message) => {
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const body = JSON.stringify(batch([event({ properties: { deep: 'DEEP' } })])).replace('"DEEP"', deep);
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(Object(answer.body).message).toBe(message);
  });

  it('answers 413 to a body over 4 MiB on the wire, or 20 MiB decompressed', async () => {
    const large = Buffer.from(
      JSON.stringify(batch([event({ properties: { text: 'x'.repeat(4_194_304) } })])),
    );
    expect((await send(large)).status).toBe(413);
    const bomb = Buffer.alloc(200 * 1024 * 1024, 'x');
    for (const [encoding, bytes] of [
      ['gzip', gzipSync(bomb)],
      ['br', brotliCompressSync(bomb.subarray(0, 30 * 1024 * 1024))],
      ['zstd', zstdCompressSync(bomb)],
    ] as const) {
      expect(bytes.length).toBeLessThan(4_194_304);
      const answer = await send(bytes, { ...withKey, 'Content-Encoding': encoding });
      expect(answer.status).toBe(413);
    }
  });

  it('answers 415 to an unknown Content-Encoding, and 400 to a wrong one', async () => {
    const bytes = gzipSync(JSON.stringify(batch([event()])));
    expect((await send(bytes, { ...withKey, 'Content-Encoding': 'compress' })).status).toBe(415);
    expect((await send(bytes, { ...withKey, 'Content-Encoding': 'br' })).status).toBe(400);
  });

  it('accepts a key in the body, and prefers the header', async () => {
    const inBody = { ...batch([event()]), api_key: KEY };
    expect((await send(inBody, { 'Content-Type': 'text/plain' })).status).toBe(202);
    expect((await send(inBody, { Authorization: `Bearer ${US_KEY}` })).status).toBe(403);
    expect((await send({ ...inBody, api_key: US_KEY }, {})).status).toBe(403);
    expect((await send({ ...inBody, api_key: null }, {})).status).toBe(401);
    expect((await send({ events: 'wrong' }, {})).status).toBe(401);
  });

  it('rejects a revoked key', async () => {
    const key = `pk_eu_${'r'.repeat(32)}`;
    const withNewKey = { Authorization: `Bearer ${key}` };
    expect((await send(batch([event()]), withNewKey)).status).toBe(401);
    await ingestion.addKey(key);
    await expect.poll(async () => (await send(batch([event()]), withNewKey)).status).toBe(202);
    await ingestion.removeKey(key);
    await expect.poll(async () => (await send(batch([event()]), withNewKey)).status).toBe(401);
  });

  it('drops unknown properties of an event', async () => {
    await ingestion.published('events');
    const sent = event({ context: { os: 'Linux', secret: 'x' }, other: 1, properties: { __proto__x: 1 } });
    expect((await send(batch([sent]))).status).toBe(202);
    const [line] = linesOf(await ingestion.published('events'));
    expect(line).not.toHaveProperty('other');
    expect(line?.['context']).toEqual({ os: 'Linux' });
  });

  it('creates its topics with TOPIC_PARTITIONS partitions', async () => {
    for (const topic of ['events', 'identifies', 'groups', 'replays']) {
      expect(await ingestion.log.endOffsets(topic)).toHaveLength(PARTITIONS);
    }
  });
});
