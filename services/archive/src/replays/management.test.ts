import { randomBytes } from 'node:crypto';
import { openDatabase } from '@switchboard/database';
import { Unavailable } from '@switchboard/http';
import { ObjectStoreError } from '@switchboard/object-store';
import { createLogger, systemClock } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkOf, newSession } from '../testing/recording.ts';
import { type ArchiveHarness, startArchive } from '../testing/service.ts';
import { createErasure } from './erasure.ts';
import { createReplaysStore } from './store.ts';

let archive: ArchiveHarness;
beforeAll(async () => {
  archive = await startArchive();
});
afterAll(() => archive.stop());

const event = (timestamp: number) => ({ type: 3, timestamp });

async function keysOf(session: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of archive.objects.list(`replays/project-1/${session}/`)) keys.push(key);
  return keys;
}

async function codeOf(answer: Response): Promise<unknown> {
  const { error } = (await answer.json()) as { error: { code: string } };
  return [answer.status, error.code];
}

describe('operations on recorded sessions', () => {
  const session = newSession();
  const operations = [
    ['GET', () => 'project-1/replays'],
    ['GET', () => archive.path(session)],
    ['GET', () => archive.path(session, '/events')],
    ['DELETE', () => archive.path(session)],
  ] as const;

  it('requires service.manage and an existing project of this region for recorded sessions', async () => {
    const member = await archive.mint({ sub: 'ada', permissions: [] });
    for (const [method, path] of operations) {
      expect(await codeOf(await archive.manage(method, path(), 'no token'))).toEqual([401, 'UNAUTHORIZED']);
      expect(await codeOf(await archive.manage(method, path(), member))).toEqual([403, 'FORBIDDEN']);
      const elsewhere = (project: string) => path().replace(/^project-1/, project);
      expect(await codeOf(await archive.manage(method, elsewhere('project-2')))).toEqual([403, 'FORBIDDEN']);
      expect(await codeOf(await archive.manage(method, elsewhere('nowhere')))).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('answers 404 for an unknown session', async () => {
    for (const rest of ['', '/events']) {
      const answer = await archive.manage('GET', archive.path(newSession(), rest));
      expect(await codeOf(answer)).toEqual([404, 'NOT_FOUND']);
    }
  });
});

describe('the sessions of a person with several ids', () => {
  it('are listed by any of the ids, once and newest first', async () => {
    const [before, both, other] = [newSession(), newSession(), newSession()];
    const record = async (session: string, distinct_id: string, seq: number) => {
      await archive.send(chunkOf(session, seq, [], { distinct_id }));
      await archive.until(session, { chunks: seq + 1 });
    };
    await record(before, 'anonymous-eve', 0);
    await record(both, 'anonymous-eve', 0);
    await record(both, 'eve', 1);
    await record(other, 'mallory', 0);
    const listed = async (id: string, more = '') => {
      const answer = await archive.manage('GET', `project-1/replays?distinct_id=${id}${more}`);
      return (await answer.json()) as { replays: { sessionId: string }[]; nextCursor: string | null };
    };
    const sessionsOf = async (id: string) => (await listed(id)).replays.map(({ sessionId }) => sessionId);
    expect(await sessionsOf('eve')).toEqual([both]);
    await archive.join('eve', 'anonymous-eve');
    for (const id of ['eve', 'anonymous-eve']) expect(await sessionsOf(id)).toEqual([both, before]);
    const first = await listed('eve', '&limit=1');
    expect(first.replays.map(({ sessionId }) => sessionId)).toEqual([both]);
    const second = await listed('eve', `&limit=1&cursor=${first.nextCursor}`);
    expect(second.replays.map(({ sessionId }) => sessionId)).toEqual([before]);
    expect(await sessionsOf('mallory')).toEqual([other]);
  });
});

describe('a deleted session', () => {
  it('removes the rows and objects of a deleted session, and drops its late chunks', async () => {
    const [session, other] = [newSession(), newSession()];
    for (const seq of [0, 1]) await archive.send(chunkOf(session, seq, [event(seq)]));
    await archive.send(chunkOf(other, 0, [event(0)]));
    await archive.until(session, { chunks: 2 });
    await archive.until(other, { chunks: 1 });
    expect(await keysOf(session)).toHaveLength(2);

    for (let again = 0; again < 2; again++) {
      expect((await archive.manage('DELETE', archive.path(session))).status).toBe(204);
    }
    expect(await keysOf(session)).toEqual([]);
    expect((await archive.manage('GET', archive.path(session))).status).toBe(404);
    expect((await archive.manage('GET', archive.path(session, '/events'))).status).toBe(404);

    for (const seq of [1, 2]) await archive.send(chunkOf(session, seq, [event(seq)]));
    // Once these are archived, earlier late chunks on every partition have been read.
    const later = Array.from({ length: 12 }, newSession);
    for (const one of later) await archive.send(chunkOf(one, 0, []));
    await Promise.all(later.map((one) => archive.until(one, { chunks: 1 })));
    await eventually(async () => expect(await keysOf(session)).toEqual([]));
    expect((await archive.manage('GET', archive.path(session))).status).toBe(404);
    const list = await (await archive.manage('GET', 'project-1/replays?distinct_id=ada')).json();
    expect(JSON.stringify(list)).not.toContain(session);
    expect(await archive.events(other)).toEqual([event(0)]);
  });

  it('leaves no object of a chunk that was archived while its session was deleted', async () => {
    const sessions = Array.from({ length: 6 }, newSession);
    const sent = sessions.flatMap((session) =>
      Array.from({ length: 8 }, (_, seq) => archive.send(chunkOf(session, seq, [event(seq)]))),
    );
    await sent[10];
    for (const session of sessions) {
      expect((await archive.manage('DELETE', archive.path(session))).status).toBe(204);
    }
    await Promise.all(sent);
    const later = Array.from({ length: 12 }, newSession);
    for (const one of later) await archive.send(chunkOf(one, 0, []));
    await Promise.all(later.map((one) => archive.until(one, { chunks: 1 })));
    for (const session of sessions) {
      await eventually(async () => expect(await keysOf(session)).toEqual([]));
      expect((await archive.manage('GET', archive.path(session))).status).toBe(404);
    }
  });

  it('removes the objects later, without another request, when the object store was unavailable', async () => {
    const session = newSession();
    for (const seq of [0, 1]) await archive.send(chunkOf(session, seq, [event(seq)]));
    await archive.until(session, { chunks: 2 });
    const database = openDatabase({ url: archive.databaseUrl, applicationName: 'test' });
    let isUnavailable = true;
    const objects = {
      ...archive.objects,
      async delete(key: string) {
        if (isUnavailable) throw new ObjectStoreError('unavailable');
        await archive.objects.delete(key);
      },
    };
    const logger = createLogger({ service: 'archive', level: 'silent' });
    const erasure = createErasure({
      store: createReplaysStore(database.drizzle),
      objects,
      clock: systemClock,
      logger,
      everyMs: 50,
    });
    await expect(erasure.remove({ projectId: 'project-1', sessionId: session })).rejects.toThrow(Unavailable);
    erasure.start();
    expect(await keysOf(session)).toHaveLength(2);
    expect((await archive.manage('GET', archive.path(session))).status).toBe(404);
    isUnavailable = false;
    await eventually(async () => expect(await keysOf(session)).toEqual([]));
    await erasure.stop();
    await database.close();
  });

  it('answers 204 for an unknown session, and drops its chunks', async () => {
    const session = newSession();
    expect((await archive.manage('DELETE', archive.path(session))).status).toBe(204);
    await archive.send(chunkOf(session, 0, []));
    const later = Array.from({ length: 12 }, newSession);
    for (const one of later) await archive.send(chunkOf(one, 0, []));
    await Promise.all(later.map((one) => archive.until(one, { chunks: 1 })));
    expect((await archive.manage('GET', archive.path(session))).status).toBe(404);
  });

  it('leaves only a tombstone of a deleted session', async () => {
    const session = newSession();
    await archive.send(chunkOf(session, 0, [event(5)], { distinct_id: 'very private' }));
    await archive.until(session, { chunks: 1 });
    await archive.manage('DELETE', archive.path(session));
    const { sql, close } = openDatabase({ url: archive.databaseUrl, applicationName: 'test' });
    const rows = await sql`
      select * from replays where session_id = ${session} and erased_at is not null and first_at is null`;
    expect(rows).toHaveLength(1);
    expect(await sql`select * from replay_people where session_id = ${session}`).toHaveLength(0);
    expect(await sql`select * from replay_chunks where session_id = ${session}`).toHaveLength(0);
    await close();
  });
});

describe('the events of a session', () => {
  it('answers an empty array when the chunks of a session have no events', async () => {
    const session = newSession();
    for (const seq of [0, 1]) await archive.send(chunkOf(session, seq, []));
    await archive.until(session, { chunks: 2 });
    expect(await archive.events(session)).toEqual([]);
    await archive.send(chunkOf(session, 2, [event(2), event(3)]));
    await archive.send(chunkOf(session, 3, []));
    await archive.send(chunkOf(session, 4, [event(4)]));
    await archive.until(session, { chunks: 5 });
    expect(await archive.events(session)).toEqual([event(2), event(3), event(4)]);
  });

  it('answers 502 with the key when an object of a session is missing', async () => {
    const session = newSession();
    for (const seq of [0, 1, 2]) await archive.send(chunkOf(session, seq, [event(seq)]));
    await archive.until(session, { chunks: 3 });
    const lost = (await keysOf(session))[1] ?? '';
    await archive.objects.delete(lost);
    const answer = await archive.manage('GET', archive.path(session, '/events'));
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({
      error: { code: 'REPLAY_OBJECT_MISSING', message: expect.stringContaining(lost) },
    });
  });

  it('breaks the connection when an object of a session is damaged', async () => {
    const session = newSession();
    const text = randomBytes(400_000).toString('hex');
    for (const seq of [0, 1]) await archive.send(chunkOf(session, seq, [{ ...event(seq), text }]));
    await archive.until(session, { chunks: 2 });
    const [, damaged = ''] = await keysOf(session);
    await archive.objects.put(damaged, randomBytes(1000));
    const answer = await archive.manage('GET', archive.path(session, '/events'));
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it('reads events no faster than the client does', async () => {
    const session = newSession();
    const text = randomBytes(2_500_000).toString('base64');
    const chunks = 8;
    for (let seq = 0; seq < chunks; seq++) {
      await archive.send(chunkOf(session, seq, [{ ...event(seq), text }]));
    }
    await archive.until(session, { chunks });
    const answer = await archive.manage('GET', archive.path(session, '/events'));
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(first?.value?.length).toBeGreaterThan(0);
    // Nothing is read ahead, so reading fails at an object that is deleted now.
    const last = (await keysOf(session)).at(-1) ?? '';
    await archive.objects.delete(last);
    await expect(
      (async () => {
        for (;;) if ((await reader?.read())?.done) return;
      })(),
    ).rejects.toThrow();
  }, 60_000);
});
