import type { DeadLetter, DeadLetterReplayed, EventLookupResult } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually, startKafka } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sent } from '../testing/events-harness.ts';
import { recordsOn } from '../testing/log.ts';
import { eventRecords } from '../testing/records.ts';
import { type ArchiveHarness, PROJECT, startArchive } from '../testing/service.ts';
import { createDeadLettersStore } from './store.ts';

const kafka = await startKafka();
afterAll(() => kafka?.stop());

describe.each(['PostgreSQL', 'Kafka'])('dead letters, on %s', (name) => {
  describe.skipIf(name === 'Kafka' && kafka === undefined)('', () => {
    let archive: ArchiveHarness;
    beforeAll(async () => {
      archive = await startArchive({
        roles: 'http',
        ...(name === 'Kafka' && kafka && { kafkaBrokers: kafka.brokers }),
      });
      await archive.start({ ROLES: 'events', ARCHIVE_FILE_SECONDS: '1' });
    });
    afterAll(() => archive?.stop());

    async function call(method: string, path: string, body?: unknown, permissions = ['service.manage']) {
      const answer = await fetch(`${archive.url}/management/v1/dead-letters${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${await archive.mint({ sub: 'op', permissions })}`,
          'Content-Type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    }
    async function list(query: string) {
      const { status, body } = await call('GET', `?${query}`);
      expect(status).toBe(200);
      return body as { deadLetters: DeadLetter[]; nextCursor: string | null };
    }
    async function replay(request: object) {
      const { status, body } = await call('POST', '/replays', request);
      expect([status, body]).toMatchObject([200, {}]);
      return body as DeadLetterReplayed;
    }
    /** Publishes a letter that a consumer rejected although its record is valid. */
    async function reject(
      topic: string,
      record: { value: string; key?: string; project?: string },
      reason = 'x: missing',
    ) {
      const { value, key = PROJECT, project = PROJECT } = record;
      const headers = {
        project,
        count: '1',
        request_id: 'req_1',
        'dead-letter-reason': reason,
        'dead-letter-line': '-1',
      };
      await archive.log.publish(`${topic}.dead-letter`, [
        { partition: 0, key, value: Buffer.from(value), headers },
      ]);
    }
    const found = (query: string, count: number) =>
      eventually(
        async () => {
          const { deadLetters } = await list(query);
          expect(deadLetters).toHaveLength(count);
          return deadLetters;
        },
        { withinMs: 30_000 },
      );

    it('lists a record that the archive cannot read, shows it in the audit trail, and lists it again after a replay', async () => {
      const value = `{"event_name":"signed up"}\u0000`;
      const headers = { project: PROJECT, received_at: new Date().toISOString(), count: '1' };
      await archive.log.publish('events', [
        { partition: 1, key: PROJECT, value: Buffer.from(value), headers },
      ]);
      const [letter] = await found('topic=events', 1);
      expect(letter).toMatchObject({
        topic: 'events',
        partition: 1,
        offset: 0,
        projectId: PROJECT,
        replays: 0,
        replayedAt: null,
      });
      expect(letter?.reason).not.toBe('');

      const details = await call('GET', '/events/1/0');
      expect(details).toMatchObject({
        status: 200,
        body: { key: PROJECT, value, isCut: false, headers: { project: PROJECT } },
      });
      expect((await call('GET', '/events/1/7')).status).toBe(404);
      await eventually(async () => {
        const entries = (await recordsOn(archive.log, 'audit')).map(({ value: entry }) =>
          JSON.parse(String(entry)),
        );
        expect(entries).toContainEqual(
          expect.objectContaining({
            action: 'getDeadLetter',
            object: 'dead-letter:events/1/0',
            outcome: 'allowed',
          }),
        );
      });

      expect(await replay({ topic: 'events' })).toMatchObject({ replayed: 1, remaining: 0 });
      const [again, earlier] = await found('topic=events', 2);
      expect(earlier).toMatchObject({ offset: 0, replays: 1 });
      expect(again).toMatchObject({ offset: 1, replays: 0 });
      expect(await found('topic=events&state=waiting', 1)).toEqual([again]);
      await replay({ topic: 'events', letters: [{ partition: 1, offset: 1 }] });
    });

    it('replays a letter once, counts a second replay, and the archive stores its event once', async () => {
      const event = sent();
      const record = first(
        eventRecords([event], { projectId: PROJECT, receivedAt: new Date(), partitions: 1 }),
      );
      await archive.log.publish('events.dead-letter', [
        {
          ...record,
          partition: 2,
          headers: {
            ...record.headers,
            'dead-letter-reason': 'not stored: 53100',
            'dead-letter-line': '-1',
          },
        },
      ]);
      const stored = 'topic=events&reason=not%20stored';
      const letter = first(await found(stored, 1));
      const selected = {
        topic: 'events',
        letters: [{ partition: letter.partition, offset: letter.offset }],
      };
      expect(await replay(selected)).toMatchObject({ replayed: 1, skipped: 0, remaining: 0 });
      expect(await replay(selected)).toMatchObject({ replayed: 0, skipped: 1, remaining: 0 });
      expect(await replay({ ...selected, again: true })).toMatchObject({ replayed: 1, skipped: 0 });
      expect((await list(stored)).deadLetters[0]).toMatchObject({ replays: 2 });
      await eventually(
        async () => {
          const answer = await archive.manage('GET', `${PROJECT}/events/${event.event_id}`);
          const { state, duplicates } = (await answer.json()) as EventLookupResult;
          expect([state, duplicates.length]).toEqual(['archived', 1]);
        },
        { withinMs: 60_000 },
      );
    });

    it('selects by topic, project and part of the reason, in pages, and replays the selection in order', async () => {
      for (const at of [1, 2, 3]) await reject('identifies', { value: `{"at":${at}}` }, 'traits: too large');
      await reject('identifies', { value: '{}' }, 'distinct_id: missing');
      await reject('groups', { value: '{}', project: 'project-2' }, 'traits: too large');
      await found('topic=identifies', 4);
      await found('topic=groups', 1);
      await found('projectId=project-2', 1);
      const newest = await list('topic=identifies&reason=too%20large&limit=2');
      const second = await list(`topic=identifies&reason=too%20large&limit=2&cursor=${newest.nextCursor}`);
      expect([...newest.deadLetters, ...second.deadLetters].map(({ offset }) => offset)).toEqual([2, 1, 0]);
      expect(second.nextCursor).toBeNull();
      expect((await list('topic=identifies&reason=nothing')).deadLetters).toEqual([]);

      expect(
        await replay({ topic: 'identifies', reason: 'too large', projectId: 'project-2' }),
      ).toMatchObject({ replayed: 0 });
      const { through } = await replay({ topic: 'identifies', reason: 'nothing' });
      await reject('identifies', { value: '{"at":4}' }, 'traits: too large');
      await found('topic=identifies', 5);
      expect(await replay({ topic: 'identifies', reason: 'too large', through })).toMatchObject({
        replayed: 3,
        remaining: 0,
      });
      const replayed = await recordsOn(archive.log, 'identifies');
      expect(replayed.map(({ value }) => String(value))).toEqual(['{"at":1}', '{"at":2}', '{"at":3}']);
      expect(replayed[0]).toMatchObject({
        key: PROJECT,
        headers: { project: PROJECT, count: '1', request_id: 'req_1' },
      });
      expect(replayed[0]?.headers).not.toHaveProperty('dead-letter-reason');
    });

    it('replays one line of a record with several lines as a record with that line', async () => {
      const headers = { project: PROJECT, count: '3', 'dead-letter-line': '2', 'dead-letter-reason': 'x' };
      await archive.log.publish('replays.dead-letter', [
        { partition: 0, key: 'k', value: Buffer.from('{}'), headers },
      ]);
      await found('topic=replays', 1);
      expect(await replay({ topic: 'replays' })).toMatchObject({ replayed: 1 });
      expect(await recordsOn(archive.log, 'replays')).toMatchObject([
        { value: Buffer.from('{}'), headers: { project: PROJECT, count: '1' } },
      ]);
    });

    it('shows the start of a large record', async () => {
      const before = (await list('topic=groups')).deadLetters.length;
      await reject('groups', { value: 'é'.repeat(100_000) });
      const [letter] = await found('topic=groups', before + 1);
      const { body } = await call('GET', `/groups/0/${letter?.offset}`);
      expect(body).toMatchObject({ bytes: 200_000, isCut: true, value: 'é'.repeat(65_536) });
    });

    it('removes letters from before a time, and those of a project, and keeps the others', async () => {
      const database = openDatabase({ url: archive.databaseUrl, applicationName: 'test' });
      const store = createDeadLettersStore(database.drizzle);
      const letter = (logOffset: number, deadLetteredAt: string) => ({
        topic: 'events',
        logPartition: 9,
        logOffset,
        deadLetteredAt: new Date(deadLetteredAt),
        reason: 'x: missing',
        projectId: 'project-9',
        requestId: null,
        bytes: 1,
      });
      await store.add([letter(1, '2020-01-01'), letter(2, '2020-03-01'), letter(3, '2020-03-02')]);
      expect(await store.oldest()).toEqual(new Date('2020-01-01'));
      expect(await store.removeBefore(new Date('2020-02-01'), 10)).toBe(1);
      expect((await found('projectId=project-9', 2)).map(({ offset }) => offset)).toEqual([3, 2]);
      const before = (await list('limit=200')).deadLetters.length;
      expect(await store.removeProject('project-9', 1)).toBe(1);
      expect(await store.removeProject('project-9', 10)).toBe(1);
      expect((await list('limit=200')).deadLetters).toHaveLength(before - 2);
      await database.close();
    });

    it('lets operators alone read and replay, and readers of the deployment list', async () => {
      expect((await call('GET', '', undefined, ['service.read'])).status).toBe(200);
      expect((await call('GET', '/events/1/0', undefined, ['service.read'])).status).toBe(403);
      expect((await call('POST', '/replays', { topic: 'events' }, ['service.support'])).status).toBe(403);
      expect((await call('GET', '', undefined, [])).status).toBe(403);
    });

    it.each([
      [{ topic: 'nothing' }, /^topic: /],
      [{ topic: 'events', letters: [] }, /^letters: /],
      [{ topic: 'events', letters: [{ partition: 2 ** 31, offset: 0 }] }, /^letters\[0\]\.partition: /],
      [
        { topic: 'events', letters: [{ partition: 0, offset: 0 }], reason: 'x' },
        /^letters: not together with/,
      ],
      [{ topic: 'events', again: true }, /^again: only with letters/],
    ])('refuses to replay %j', async (body, message) => {
      const answer = await call('POST', '/replays', body);
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringMatching(message) } },
      });
    });
  });
});

function first<T>([found]: readonly T[]): T {
  if (found === undefined) throw new Error('nothing found');
  return found;
}
