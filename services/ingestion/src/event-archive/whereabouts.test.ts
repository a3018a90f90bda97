import type { EventWhereabouts } from '@switchboard/contracts';
import { serviceContext, startService } from '@switchboard/service-kit';
import { eventually, startKafka, startS3, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ingestionService } from '../service.ts';
import { batch, event, type LogSettings, PROJECT, partitionOf } from '../test-service.ts';
import { type Archiving, startArchiving } from '../testing/archiving.ts';
import { query } from './test-archive.ts';

async function onPostgres() {
  const database = await testDatabase();
  const log: LogSettings = { EVENT_LOG_DATABASE_URL: database.url };
  return { log, s3: undefined, stop: () => database.drop() };
}

async function onKafka() {
  const [kafka, s3] = await Promise.all([startKafka(), startS3()]);
  const stop = async () => void (await Promise.all([kafka?.stop(), s3?.stop()]));
  if (kafka !== undefined && s3 !== undefined) {
    const log: LogSettings = { KAFKA_BROKERS: kafka.brokers.join(',') };
    return { log, s3, stop };
  }
  await stop();
  return undefined;
}

describe.each([
  ['PostgreSQL and a folder', onPostgres],
  ['Kafka and S3', onKafka],
])('where is my event, on %s', async (_, start) => {
  const backings = await start();
  let archiving: Archiving;
  beforeAll(async () => {
    if (backings === undefined) return;
    const { log, s3 } = backings;
    const overrides = { ROLES: 'http' };
    archiving = await startArchiving({ log, ...(s3 && { s3 }), overrides });
  });
  afterAll(async () => {
    await archiving?.stop();
    await backings?.stop();
  });

  const ask = (id: string, project = PROJECT, token?: string) =>
    archiving.manage('GET', `${project}/events/${encodeURIComponent(id)}`, token);
  async function whereIs(id: string): Promise<EventWhereabouts> {
    const answer = await ask(id);
    expect(answer.status).toBe(200);
    return (await answer.json()) as EventWhereabouts;
  }
  const until = (id: string, state: EventWhereabouts['state']) =>
    eventually(
      async () => {
        const found = await whereIs(id);
        expect(found.state).toBe(state);
        return found;
      },
      { withinMs: 20_000 },
    );
  const send = async (...events: object[]) =>
    expect((await archiving.ingestion.post('/v1/events', batch(events))).status).toBe(202);

  /** A process of this service that archives and answers no clients. */
  async function startArchiver(settings: Record<string, string>) {
    const env = { ...archiving.ingestion.env, ROLES: 'event-archive', ...settings };
    const context = serviceContext(ingestionService, env);
    const service = ingestionService.create(context);
    await startService(service, context);
    return service;
  }

  describe.skipIf(backings === undefined)('with its backings', () => {
    it('not seen yet while the archive is behind, accepted before its file is written, then archived', async () => {
      const one = event({ distinct_id: 'ada' });
      const early = Date.now();
      await send(one);
      const late = Date.now();
      expect(await whereIs(one.event_id)).toEqual({
        eventId: one.event_id,
        state: 'not_seen',
        accepted: null,
        archived: null,
        duplicates: [],
        deadLetters: [],
        unread: { records: 1, since: null },
      });

      const slow = await startArchiver({ ARCHIVE_FILE_SECONDS: '3600' });
      const accepted = await until(one.event_id, 'accepted');
      expect(accepted).toMatchObject({
        accepted: { topic: 'events', partition: partitionOf('ada'), offset: 0, line: 0 },
        archived: null,
        unread: null,
      });
      const at = Date.parse(accepted.accepted?.at ?? '');
      expect(at).toBeGreaterThanOrEqual(early);
      expect(at).toBeLessThanOrEqual(late);
      expect((await whereIs('never-sent')).unread).toEqual({ records: 0, since: null });
      await slow.stop();
      expect((await whereIs(one.event_id)).state).toBe('accepted');

      const quick = await startArchiver({ ARCHIVE_FILE_SECONDS: '1' });
      const archived = await until(one.event_id, 'archived');
      expect(archived.accepted).toEqual(accepted.accepted);
      expect(archived.archived?.row).toBe(0);
      await quick.stop();
    });

    it('the file and the row in it, among others', async () => {
      const archiver = await startArchiver({ ARCHIVE_FILE_SECONDS: '1' });
      const events = Array.from({ length: 50 }, () => event({ distinct_id: 'bob' }));
      await send(...events);
      for (const [row, { event_id }] of [...events.entries()].filter(([index]) => index % 20 === 7)) {
        expect((await until(event_id, 'archived')).archived?.row).toBe(row);
      }
      await archiver.stop();
      if (backings?.s3 !== undefined) return;
      const { archived } = await whereIs(events[7]?.event_id ?? '');
      const file = `${archiving.ingestion.env['OBJECTS_FOLDER']}/${archived?.file}`;
      const rows = await query(
        `select event_id from read_parquet('${file}', file_row_number = true) where file_row_number = ${archived?.row}`,
      );
      expect(rows).toEqual([{ event_id: events[7]?.event_id }]);
    });

    it('where it came again and was dropped', async () => {
      const one = event({ distinct_id: 'ada', event_id: 'twice/é #1' });
      await send(one);
      await send(one);
      await send({ ...one, distinct_id: 'bob' });
      const archiver = await startArchiver({ ARCHIVE_FILE_SECONDS: '1' });
      await until(one.event_id, 'archived');
      await eventually(async () => expect((await whereIs(one.event_id)).duplicates).toHaveLength(2));
      const { accepted, duplicates } = await whereIs(one.event_id);
      const places = [accepted, ...duplicates].map((place) => `${place?.partition} ${place?.offset}`);
      expect(new Set(places).size).toBe(3);
      await archiver.stop();
    });

    it('why it could not be read; read after all when it comes again whole', async () => {
      const id = 'broken-1';
      const headers = { project: PROJECT, received_at: new Date().toISOString() };
      const value = Buffer.from(`{}\n{"event_id":"${id}","distinct_id":""}`);
      await archiving.ingestion.log.publish('events', [{ partition: 0, key: PROJECT, value, headers }]);
      const archiver = await startArchiver({ ARCHIVE_FILE_SECONDS: '1' });
      const found = await until(id, 'dead_letter');
      expect(found).toMatchObject({ accepted: null, archived: null, duplicates: [] });
      expect(found.deadLetters).toMatchObject([{ topic: 'events', partition: 0, line: 1 }]);
      expect(found.deadLetters[0]?.reason).toMatch(/^distinct_id: /);
      await send(event({ event_id: id }));
      expect((await until(id, 'archived')).deadLetters).toHaveLength(1);
      await archiver.stop();
    });

    it('archived with no row once somebody has removed the file', async () => {
      const one = event();
      await send(one);
      const archiver = await startArchiver({ ARCHIVE_FILE_SECONDS: '1' });
      const { archived } = await until(one.event_id, 'archived');
      await archiver.stop();
      await archiving.objects.delete(archived?.file ?? '');
      expect(await whereIs(one.event_id)).toMatchObject({
        state: 'archived',
        archived: { file: archived?.file, row: null },
      });
    });

    it('for operators, of projects of this region', async () => {
      const member = await archiving.mint({ sub: 'member' });
      expect((await ask('x', PROJECT, member)).status).toBe(403);
      expect((await ask('x', PROJECT, 'nonsense')).status).toBe(401);
      expect((await ask('x', 'no-such-project')).status).toBe(404);
      expect((await ask('x', 'project-2')).status).toBe(403);
      expect((await ask('x'.repeat(201))).status).toBe(400);
    });
  });
});
