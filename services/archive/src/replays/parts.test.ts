import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '@switchboard/database';
import type { EventLog, OutgoingRecord } from '@switchboard/event-log';
import { ObjectStoreError, openObjectStore } from '@switchboard/object-store';
import { createPersonIds } from '@switchboard/person-ids';
import { createLogger, createMetrics } from '@switchboard/runtime';
import { eventually, startKafka, testDatabase } from '@switchboard/testkit';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { archiveMigrations } from '../schema/migrations.ts';
import { openLog, recordsOn } from '../testing/log.ts';
import { chunkOf, newSession } from '../testing/recording.ts';
import { hashOf, replayRecords } from '../testing/records.ts';
import { createAssembly } from './assembly.ts';
import { createReplayConsumer, REPLAYS_GROUP, type ReplayConsumerOptions } from './consumer.ts';
import { decodeChunk } from './decode.ts';
import { createRecordings } from './recordings.ts';
import { createChunkStorage } from './storage.ts';
import { createReplaysStore, type ReplaysStore } from './store.ts';

const PROJECT = 'p1';

const recordsOf = (chunk: object) => replayRecords(PROJECT, chunk);

/** Returns a chunk with this number of parts. */
const large = (session: string, seq: number, parts = 3) => {
  const filler = randomBytes(Math.ceil((parts - 0.5) * 675_000)).toString('base64');
  return chunkOf(session, seq, [{ type: 5, data: filler, timestamp: seq }]);
};

describe('parts of chunks', () => {
  it('assembles every complete chunk from parts, in any order and with any copies', () => {
    const chunkSizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(chunkSizes, fc.infiniteStream(fc.nat()), (sizes, random) => {
        const records = sizes.flatMap((parts, chunk) =>
          Array.from({ length: parts }, (_, part) => ({
            topic: 'replays',
            partition: 0,
            key: 'k',
            value: Buffer.from(`${chunk}:${part}`),
            headers: {
              chunk: String(chunk).padStart(32, '0'),
              part: String(part + 1),
              parts: String(parts),
            },
          })),
        );
        const mixed = records
          .map((record) => ({ record, at: random.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ record }, offset) => ({ ...record, offset: BigInt(offset), timestamp: 0 }));
        const assembly = createAssembly();
        const done: string[] = [];
        for (const record of mixed) {
          const whole = assembly.add(record, 0);
          if (whole) done.push(whole.map(({ record }) => String(record.value)).join());
          else assembly.add(record, 0);
        }
        const expected = sizes.map((parts, chunk) =>
          Array.from({ length: parts }, (_, part) => `${chunk}:${part}`).join(),
        );
        expect(done.toSorted()).toEqual(expected.toSorted());
        expect(assembly.bytes()).toBe(0);
        expect(assembly.firstOffset()).toBeUndefined();
      }),
    );
  });
});

const kafka = await startKafka();
afterAll(() => kafka?.stop());

describe.each(['the embedded log', 'Kafka'])('the replay consumer on %s', (name) => {
  describe.skipIf(name === 'Kafka' && kafka === undefined)('', () => {
    let log: EventLog;
    let database: Database;
    let store: ReplaysStore;
    let folder: string;
    let drop: () => Promise<void>;
    beforeAll(async () => {
      const own = await testDatabase({ migrations: [archiveMigrations] });
      const logDatabase = await testDatabase();
      database = openDatabase({ url: own.url, applicationName: 'test' });
      store = createReplaysStore(database.drizzle);
      folder = await mkdtemp(join(tmpdir(), 'switchboard-parts-'));
      log =
        name === 'Kafka' && kafka
          ? openLog({ KAFKA_BROKERS: kafka.brokers.join(',') })
          : openLog({ EVENT_LOG_DATABASE_URL: logDatabase.url });
      await log.createTopics([{ name: 'replays', partitions: 1, replication: 1, cleanup: 'delete' }]);
      drop = async () => {
        await database.close();
        await Promise.all([own.drop(), logDatabase.drop(), rm(folder, { recursive: true })]);
      };
    });
    afterAll(async () => {
      await log.close();
      await drop();
    });

    let running: ReturnType<typeof createReplayConsumer>[] = [];
    afterEach(async () => {
      await Promise.all(running.map((one) => one.stop()));
      running = [];
    });

    function start(options: Partial<ReplayConsumerOptions> = {}) {
      const archive = createReplayConsumer({
        store,
        log,
        objects: openObjectStore({ folder }),
        logger: createLogger({ service: 'archive', level: 'silent' }),
        metrics: createMetrics('archive'),
        ...options,
      });
      archive.start();
      running.push(archive);
      return archive;
    }

    const recordings = () =>
      createRecordings({
        store,
        objects: openObjectStore({ folder }),
        personIds: createPersonIds(database.drizzle),
      });
    const manifest = (sessionId: string) => recordings().manifest({ projectId: PROJECT, sessionId });
    const until = (session: string, expected: object) =>
      eventually(async () => expect(await manifest(session)).toMatchObject(expected), { withinMs: 20_000 });
    const publish = (...records: (OutgoingRecord | undefined)[]) =>
      log.publish(
        'replays',
        records.filter((record) => record !== undefined),
      );
    const caughtUp = () =>
      eventually(
        async () => {
          const [committed] = await log.committedOffsets(REPLAYS_GROUP, 'replays');
          const [end] = await log.endOffsets('replays');
          expect(committed).toBe(end);
        },
        { withinMs: 20_000 },
      );
    let before: bigint[];
    beforeEach(async () => {
      before = await log.endOffsets('replays.dead-letter');
    });
    const deadLetters = () => recordsOn(log, 'replays.dead-letter', before);

    it('joins parts that interleave or repeat, and archives the chunks between them', async () => {
      start();
      const session = newSession();
      const [a, b, small] = [
        recordsOf(large(session, 0)),
        recordsOf(large(session, 1)),
        recordsOf(chunkOf(session, 2, [])),
      ];
      await publish(a[0], b[0], ...small, a[1], a[0], b[1], a[2]);
      await publish(b[2], ...small);
      await until(session, { chunks: 3, duplicates: 1, complete: true });
      await caughtUp();
      expect(await deadLetters()).toEqual([]);
    });

    it('completes a chunk that another consumer of the group read in part', async () => {
      const session = newSession();
      const parts = recordsOf(large(session, 0));
      const first = start();
      await publish(parts[0], ...recordsOf(chunkOf(session, 1, [])), parts[1]);
      await until(session, { chunks: 1 });
      await first.stop();
      running = [];
      await publish(parts[2]);
      start();
      await until(session, { chunks: 2, duplicates: 0 });
      await caughtUp();
    });

    it('completes a chunk of two fetches after a failed attempt to store it', async () => {
      const session = newSession();
      const [first, ...rest] = recordsOf(large(session, 0));
      const metrics = createMetrics('archive');
      const objects = openObjectStore({ folder });
      let failures = 0;
      const failing = {
        ...objects,
        async put(key: string, bytes: Uint8Array) {
          if (failures++ < 2) throw new ObjectStoreError('unavailable');
          await objects.put(key, bytes);
        },
      };
      start({ objects: failing, metrics });
      await publish(first);
      await eventually(async () => {
        const held = await metrics.registry.getSingleMetricAsString('switchboard_replay_incomplete_bytes');
        expect(held).toMatch(/ 900000$/m);
      });
      await publish(...rest);
      await until(session, { chunks: 1, complete: true });
      await caughtUp();
      expect(failures).toBe(3);
      expect(await deadLetters()).toEqual([]);
    });

    it('completes a chunk when offsets go back between its parts, and commits nothing above them', async () => {
      const session = newSession();
      const [first, ...rest] = recordsOf(large(session, 0));
      let shift = 1000n;
      const commits: bigint[] = [];
      const metrics = createMetrics('archive');
      // As after an unclean leader election: another record now has the offset of the first one.
      const cut: EventLog = {
        ...log,
        consume: (options) =>
          log.consume({
            ...options,
            group: `back-${session}`,
            handle: (batch) => {
              const by = shift;
              const records = batch.records.map((record) => ({ ...record, offset: record.offset + by }));
              const commit = async (offset = batch.nextOffset + by) => {
                commits.push(offset);
                if (offset <= batch.nextOffset) await batch.commit(offset);
              };
              return options.handle({ ...batch, records, nextOffset: batch.nextOffset + by, commit });
            },
          }),
      };
      start({ log: cut, metrics });
      await publish(first);
      await eventually(async () => {
        const held = await metrics.registry.getSingleMetricAsString('switchboard_replay_incomplete_bytes');
        expect(held).toMatch(/ 900000$/m);
      });
      shift = 0n;
      commits.length = 0;
      await publish(...rest);
      await until(session, { chunks: 1, complete: true });
      expect(commits.filter((offset) => offset >= 1000n)).toEqual([]);
      start();
      await caughtUp();
    });

    it('dead-letters a chunk that never completes, without holding up its partition', async () => {
      const session = newSession();
      const half = recordsOf(large(session, 0));
      start({ patienceMs: 400 });
      await publish(half[0], half[1], ...recordsOf(chunkOf(session, 1, [])));
      await until(session, { chunks: 1 });
      await caughtUp();
      const put = await deadLetters();
      expect(put.map(({ headers }) => headers['part'])).toEqual(['1', '2']);
      expect(put[0]?.headers['dead-letter-reason']).toBe('1 of 3 parts missing after 0.4 s');
      expect(await manifest(session)).toMatchObject({ chunks: 1, missing: 1 });
    });

    it('gives up an incomplete chunk while others arrive', async () => {
      const session = newSession();
      const half = recordsOf(large(session, 0));
      start({ patienceMs: 400 });
      await publish(half[0]);
      let seq = 1;
      await eventually(
        async () => {
          await publish(...recordsOf(chunkOf(session, seq++, [])));
          await sleep(50);
          expect(await deadLetters()).toHaveLength(1);
        },
        { withinMs: 15_000 },
      );
    });

    it('dead-letters nothing of a chunk if its upload was interrupted and then repeated', async () => {
      const session = newSession();
      const parts = recordsOf(large(session, 0));
      start({ patienceMs: 400 });
      await publish(parts[0], parts[2], ...parts);
      await until(session, { chunks: 1 });
      await caughtUp();
      expect(await deadLetters()).toEqual([]);
    });

    it('archives every complete chunk, whatever memory the incomplete ones need', async () => {
      const session = newSession();
      const chunks = Array.from({ length: 5 }, (_, seq) => recordsOf(large(session, seq)));
      const abandoned = recordsOf(large(session, 5)).slice(0, 2);
      await publish(...chunks.flatMap((parts) => parts.slice(0, 2)), ...abandoned);
      await publish(...chunks.flatMap((parts) => parts.slice(2)));
      const patient = start({ maxHeldBytes: 1_000_000 });
      await until(session, { chunks: 5, complete: true });
      expect(await deadLetters()).toEqual([]);
      await patient.stop();
      running = [];
      start({ maxHeldBytes: 1_000_000, patienceMs: 400 });
      await caughtUp();
      const put = await deadLetters();
      expect(put.map(({ value }) => value)).toEqual(abandoned.map(({ value }) => value));
      for await (const { key } of openObjectStore({ folder }).list('replays-incomplete/'))
        expect(key).toBe('');
    });

    it('dead-letters a chunk if its stored parts are invalid together, with their bytes', async () => {
      const sound = recordsOf(large(newSession(), 0));
      const chunk = hashOf(Buffer.from('other bytes'));
      const parts = sound.map((record) => ({ ...record, headers: { ...record.headers, chunk } }));
      // Each is spilled before the next is taken in.
      start({ maxHeldBytes: 0 });
      await publish(...parts);
      await caughtUp();
      const put = await deadLetters();
      expect(put.map(({ value }) => value)).toEqual(parts.map(({ value }) => value));
      expect(put[0]?.headers['dead-letter-reason']).toBe('header chunk: not the hash of the bytes');
      for await (const { key } of openObjectStore({ folder }).list('replays-incomplete/'))
        expect(key).toBe('');
    });

    it('removes the stored parts of a consumer that was killed', async () => {
      const objects = openObjectStore({ folder });
      await objects.put('replays-incomplete/0/7-7', Buffer.from('part'));
      await publish(...recordsOf(chunkOf(newSession(), 0, [])));
      start();
      await caughtUp();
      expect(await objects.get('replays-incomplete/0/7-7')).toBeUndefined();
    });

    it('dead-letters an invalid record with the reason, and continues', async () => {
      const session = newSession();
      const [good] = recordsOf(chunkOf(session, 0, []));
      const [other] = recordsOf(chunkOf(session, 1, []));
      if (good === undefined || other === undefined) throw new Error('no records');
      const value = Buffer.from('{"project_id":"p1"}');
      await publish(
        { ...good, headers: { project: PROJECT } },
        { ...good, value: null },
        { ...good, value: other.value },
        { ...good, value, headers: { ...good.headers, chunk: hashOf(value) } },
        { ...good, value: Buffer.from('{'), headers: { ...good.headers, chunk: hashOf(Buffer.from('{')) } },
        { ...good, headers: { ...good.headers, parts: '1000' } },
        good,
      );
      start();
      await until(session, { chunks: 1 });
      await caughtUp();
      expect((await deadLetters()).map(({ headers }) => headers['dead-letter-reason'])).toEqual([
        'headers: chunk, part or parts is missing or not valid',
        'headers: chunk, part or parts is missing or not valid',
        ...Array.from({ length: 2 }, () => 'header chunk: not the hash of the bytes'),
        expect.stringMatching(/^session_id: /),
        'chunk: not valid JSON',
      ]);
    });

    it('dead-letters an invalid chunk once and stores the others once, however often storing fails', async () => {
      const session = newSession();
      const chunks = await Promise.all(
        Array.from({ length: 40 }, (_, seq) => recordsOf(chunkOf(session, seq, []))),
      );
      const records = chunks.flat();
      const bad = records.map((record, index) =>
        index === 3 || index === 20 ? { ...record, value: null } : record,
      );
      await publish(...bad);
      const objects = openObjectStore({ folder });
      let failures = 0;
      const failing = {
        ...objects,
        async put(key: string, bytes: Uint8Array) {
          if (failures++ < 60) throw new ObjectStoreError('unavailable');
          await objects.put(key, bytes);
        },
      };
      start({ objects: failing });
      await until(session, { chunks: 38, duplicates: 0, missing: 2 });
      await caughtUp();
      expect((await deadLetters()).map(({ headers }) => headers['seq'])).toEqual(['3', '20']);
    });

    it('counts nothing twice when records are redelivered', async () => {
      const sessionA = newSession();
      const parts = recordsOf(large(sessionA, 0));
      const [small] = recordsOf(chunkOf(sessionA, 1, []));
      await publish(...parts, small, small);
      const first = start();
      await until(sessionA, { chunks: 2, duplicates: 1 });
      await caughtUp();
      await first.stop();
      running = [];
      const known = await manifest(sessionA);
      // As after a crash before the commit: everything is read again.
      const records = await recordsOn(log, 'replays');
      const storage = createChunkStorage({
        store,
        objects: openObjectStore({ folder }),
        metrics: createMetrics('again'),
      });
      const mine = records.filter(({ headers }) => headers['session'] === sessionA);
      await storage.store([
        await decodeChunk(mine.slice(0, 3)),
        ...(await Promise.all(mine.slice(3).map((record) => decodeChunk([record])))),
      ]);
      expect(await manifest(sessionA)).toEqual(known);
    });
  });
});
