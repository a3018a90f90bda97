import type { EventLookupResult } from '@switchboard/contracts';
import { partitionFor } from '@switchboard/event-log';
import { eventually, type KafkaServer, type S3Server, startKafka, startS3 } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query, sent } from '../testing/events-harness.ts';
import type { SentEvent } from '../testing/records.ts';
import { type ArchiveHarness, PARTITIONS, PROJECT, startArchive } from '../testing/service.ts';

interface Backings {
  kafka?: KafkaServer;
  s3?: S3Server;
}

async function onKafka(): Promise<Backings | undefined> {
  const [kafka, s3] = await Promise.all([startKafka(), startS3()]);
  if (kafka !== undefined && s3 !== undefined) return { kafka, s3 };
  await Promise.all([kafka?.stop(), s3?.stop()]);
  return undefined;
}

describe.each([
  ['PostgreSQL and a folder', async (): Promise<Backings> => ({})],
  ['Kafka and S3', onKafka],
])('event lookup, on %s', async (_, start) => {
  const backings = await start();
  let archive: ArchiveHarness;
  beforeAll(async () => {
    if (backings === undefined) return;
    const { kafka, s3 } = backings;
    archive = await startArchive({
      roles: 'http',
      ...(kafka && { kafkaBrokers: kafka.brokers }),
      ...(s3 && { s3 }),
    });
  });
  afterAll(async () => {
    await archive?.stop();
    await Promise.all([backings?.kafka?.stop(), backings?.s3?.stop()]);
  });

  const ask = (id: string, project = PROJECT, token?: string) =>
    archive.manage('GET', `${project}/events/${encodeURIComponent(id)}`, token);
  async function lookUp(id: string): Promise<EventLookupResult> {
    const answer = await ask(id);
    expect(answer.status).toBe(200);
    return (await answer.json()) as EventLookupResult;
  }
  const until = (id: string, state: EventLookupResult['state']) =>
    eventually(
      async () => {
        const found = await lookUp(id);
        expect(found.state).toBe(state);
        return found;
      },
      { withinMs: 20_000 },
    );
  const send = (...events: SentEvent[]) => archive.sendEvents(...events);

  /** Starts a process of this service that only consumes events. */
  const startConsumer = (settings: Record<string, string>) => archive.start({ ROLES: 'events', ...settings });

  describe.skipIf(backings === undefined)('event lookup with its backings', () => {
    it('answers not_seen while the archive is behind, accepted before the file is written, then archived', async () => {
      const one = sent({ distinct_id: 'ada' });
      const early = Date.now();
      await send(one);
      const late = Date.now();
      expect(await lookUp(one.event_id)).toEqual({
        eventId: one.event_id,
        state: 'not_seen',
        accepted: null,
        archived: null,
        duplicates: [],
        deadLetters: [],
        unread: { records: 1, since: null },
      });

      const slow = await startConsumer({ ARCHIVE_FILE_SECONDS: '3600' });
      const accepted = await until(one.event_id, 'accepted');
      expect(accepted).toMatchObject({
        accepted: {
          topic: 'events',
          partition: partitionFor(`${PROJECT}:ada`, PARTITIONS),
          offset: 0,
          line: 0,
        },
        archived: null,
        unread: null,
      });
      const at = Date.parse(accepted.accepted?.at ?? '');
      expect(at).toBeGreaterThanOrEqual(early);
      expect(at).toBeLessThanOrEqual(late);
      expect((await lookUp('never-sent')).unread).toEqual({ records: 0, since: null });
      await slow.stop();
      expect((await lookUp(one.event_id)).state).toBe('accepted');

      const quick = await startConsumer({ ARCHIVE_FILE_SECONDS: '1' });
      const archived = await until(one.event_id, 'archived');
      expect(archived.accepted).toEqual(accepted.accepted);
      expect(archived.archived?.row).toBe(0);
      await quick.stop();
    });

    it('names the file and the row of an event', async () => {
      const consumer = await startConsumer({ ARCHIVE_FILE_SECONDS: '1' });
      const events = Array.from({ length: 50 }, () => sent({ distinct_id: 'bob' }));
      await send(...events);
      for (const { event_id } of events.slice(0, 3)) await until(event_id, 'archived');
      await consumer.stop();
      if (backings?.s3 !== undefined) return;
      const { archived } = await lookUp(events[7]?.event_id ?? '');
      const file = `${archive.objectsFolder}/${archived?.file}`;
      const rows = await query(
        `select event_id from read_parquet('${file}', file_row_number = true) where file_row_number = ${archived?.row}`,
      );
      expect(rows).toEqual([{ event_id: events[7]?.event_id }]);
    });

    it('lists the places of duplicates of an event', async () => {
      const one = sent({ distinct_id: 'ada', event_id: 'twice/é #1' });
      await send(one);
      await send(one);
      await send({ ...one, distinct_id: 'bob' });
      const consumer = await startConsumer({ ARCHIVE_FILE_SECONDS: '1' });
      await until(one.event_id, 'archived');
      await eventually(async () => expect((await lookUp(one.event_id)).duplicates).toHaveLength(2));
      const { accepted, duplicates } = await lookUp(one.event_id);
      const places = [accepted, ...duplicates].map((place) => `${place?.partition} ${place?.offset}`);
      expect(new Set(places).size).toBe(3);
      await consumer.stop();
    });

    it('gives the reason of a dead letter, and archives a valid copy that follows', async () => {
      const id = 'broken-1';
      const headers = { project: PROJECT, received_at: new Date().toISOString() };
      const value = Buffer.from(`{}\n{"event_id":"${id}","distinct_id":""}`);
      await archive.log.publish('events', [{ partition: 0, key: PROJECT, value, headers }]);
      const consumer = await startConsumer({ ARCHIVE_FILE_SECONDS: '1' });
      const found = await until(id, 'dead_letter');
      expect(found).toMatchObject({ accepted: null, archived: null, duplicates: [] });
      expect(found.deadLetters).toMatchObject([{ topic: 'events', partition: 0, line: 1 }]);
      expect(found.deadLetters[0]?.reason).toMatch(/^distinct_id: /);
      await send(sent({ event_id: id }));
      expect((await until(id, 'archived')).deadLetters).toHaveLength(1);
      await consumer.stop();
    });

    it('answers archived without a row after the file was removed', async () => {
      const one = sent();
      await send(one);
      const consumer = await startConsumer({ ARCHIVE_FILE_SECONDS: '1' });
      const { archived } = await until(one.event_id, 'archived');
      await consumer.stop();
      await archive.objects.delete(archived?.file ?? '');
      expect(await lookUp(one.event_id)).toMatchObject({
        state: 'archived',
        archived: { file: archived?.file, row: null },
      });
    });

    it('requires service.manage and a project of this region for event lookup', async () => {
      const member = await archive.mint({ sub: 'member' });
      expect((await ask('x', PROJECT, member)).status).toBe(403);
      expect((await ask('x', PROJECT, 'nonsense')).status).toBe(401);
      expect((await ask('x', 'no-such-project')).status).toBe(404);
      expect((await ask('x', 'project-2')).status).toBe(403);
      expect((await ask('x'.repeat(201))).status).toBe(400);
    });
  });
});
