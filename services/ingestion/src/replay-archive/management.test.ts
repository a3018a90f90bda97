import { randomBytes } from 'node:crypto';
import { openDatabase } from '@switchboard/database';
import { ObjectStoreError } from '@switchboard/object-store';
import { createLogger, systemClock, Unavailable } from '@switchboard/service-kit';
import { eventually, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Archiving, chunkOf, newSession, startArchiving } from '../testing/archiving.ts';
import { createErasure } from './erasure.ts';

let log: TestDatabase;
let archiving: Archiving;
beforeAll(async () => {
  log = await testDatabase();
  archiving = await startArchiving({ log: { EVENT_LOG_DATABASE_URL: log.url } });
});
afterAll(async () => {
  await archiving.stop();
  await log.drop();
});

const event = (timestamp: number) => ({ type: 3, timestamp });

async function keysOf(session: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of archiving.objects.list(`replays/project-1/${session}/`)) keys.push(key);
  return keys;
}

async function codeOf(answer: Response): Promise<unknown> {
  const { error } = (await answer.json()) as { error: { code: string } };
  return [answer.status, error.code];
}

describe('every operation on recorded sessions', () => {
  const session = newSession();
  const operations = [
    ['GET', () => 'project-1/replays'],
    ['GET', () => archiving.path(session)],
    ['GET', () => archiving.path(session, '/events')],
    ['DELETE', () => archiving.path(session)],
  ] as const;

  it('is for whoever may manage the service, of a project that is there and of this region', async () => {
    const member = await archiving.mint({ sub: 'ada', permissions: [] });
    for (const [method, path] of operations) {
      expect(await codeOf(await archiving.manage(method, path(), 'no token'))).toEqual([401, 'UNAUTHORIZED']);
      expect(await codeOf(await archiving.manage(method, path(), member))).toEqual([403, 'FORBIDDEN']);
      const elsewhere = (project: string) => path().replace(/^project-1/, project);
      expect(await codeOf(await archiving.manage(method, elsewhere('project-2')))).toEqual([
        403,
        'FORBIDDEN',
      ]);
      expect(await codeOf(await archiving.manage(method, elsewhere('nowhere')))).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('says that a session is not there', async () => {
    for (const rest of ['', '/events']) {
      const answer = await archiving.manage('GET', archiving.path(newSession(), rest));
      expect(await codeOf(answer)).toEqual([404, 'NOT_FOUND']);
    }
  });
});

describe('a deleted session', () => {
  it('is gone with its rows and objects, and what comes late stays out', async () => {
    const [session, other] = [newSession(), newSession()];
    for (const seq of [0, 1]) await archiving.send(chunkOf(session, seq, [event(seq)]));
    await archiving.send(chunkOf(other, 0, [event(0)]));
    await archiving.until(session, { chunks: 2 });
    await archiving.until(other, { chunks: 1 });
    expect(await keysOf(session)).toHaveLength(2);

    for (let again = 0; again < 2; again++) {
      expect((await archiving.manage('DELETE', archiving.path(session))).status).toBe(204);
    }
    expect(await keysOf(session)).toEqual([]);
    expect((await archiving.manage('GET', archiving.path(session))).status).toBe(404);
    expect((await archiving.manage('GET', archiving.path(session, '/events'))).status).toBe(404);

    for (const seq of [1, 2]) await archiving.send(chunkOf(session, seq, [event(seq)]));
    // The chunks of every partition behind it were read by now.
    const later = Array.from({ length: 12 }, newSession);
    for (const one of later) await archiving.send(chunkOf(one, 0, []));
    await Promise.all(later.map((one) => archiving.until(one, { chunks: 1 })));
    await eventually(async () => expect(await keysOf(session)).toEqual([]));
    expect((await archiving.manage('GET', archiving.path(session))).status).toBe(404);
    const list = await (await archiving.manage('GET', 'project-1/replays?distinct_id=ada')).json();
    expect(JSON.stringify(list)).not.toContain(session);
    expect(await archiving.events(other)).toEqual([event(0)]);
  });

  it('leaves no object behind that was being archived meanwhile', async () => {
    const sessions = Array.from({ length: 6 }, newSession);
    const sent = sessions.flatMap((session) =>
      Array.from({ length: 8 }, (_, seq) => archiving.send(chunkOf(session, seq, [event(seq)]))),
    );
    await sent[10];
    for (const session of sessions) {
      expect((await archiving.manage('DELETE', archiving.path(session))).status).toBe(204);
    }
    await Promise.all(sent);
    const later = Array.from({ length: 12 }, newSession);
    for (const one of later) await archiving.send(chunkOf(one, 0, []));
    await Promise.all(later.map((one) => archiving.until(one, { chunks: 1 })));
    for (const session of sessions) {
      await eventually(async () => expect(await keysOf(session)).toEqual([]));
      expect((await archiving.manage('GET', archiving.path(session))).status).toBe(404);
    }
  });

  it('loses its objects later, without being asked again, where the object store was away', async () => {
    const session = newSession();
    for (const seq of [0, 1]) await archiving.send(chunkOf(session, seq, [event(seq)]));
    await archiving.until(session, { chunks: 2 });
    const database = openDatabase({
      url: archiving.ingestion.env['DATABASE_URL'] ?? '',
      applicationName: 'test',
    });
    let isAway = true;
    const objects = {
      ...archiving.objects,
      async delete(key: string) {
        if (isAway) throw new ObjectStoreError('away');
        await archiving.objects.delete(key);
      },
    };
    const logger = createLogger({ service: 'ingestion', level: 'silent' });
    const erasure = createErasure({ database, objects, clock: systemClock, logger, everyMs: 50 });
    await expect(erasure.remove({ projectId: 'project-1', sessionId: session })).rejects.toThrow(Unavailable);
    erasure.start();
    expect(await keysOf(session)).toHaveLength(2);
    expect((await archiving.manage('GET', archiving.path(session))).status).toBe(404);
    isAway = false;
    await eventually(async () => expect(await keysOf(session)).toEqual([]));
    await erasure.stop();
    await database.close();
  });

  it('may be one that never came: 204, and it stays out', async () => {
    const session = newSession();
    expect((await archiving.manage('DELETE', archiving.path(session))).status).toBe(204);
    await archiving.send(chunkOf(session, 0, []));
    const later = Array.from({ length: 12 }, newSession);
    for (const one of later) await archiving.send(chunkOf(one, 0, []));
    await Promise.all(later.map((one) => archiving.until(one, { chunks: 1 })));
    expect((await archiving.manage('GET', archiving.path(session))).status).toBe(404);
  });

  it('leaves nothing of itself but its name and when', async () => {
    const session = newSession();
    await archiving.send(chunkOf(session, 0, [event(5)], { distinct_id: 'very private' }));
    await archiving.until(session, { chunks: 1 });
    await archiving.manage('DELETE', archiving.path(session));
    const url = archiving.ingestion.env['DATABASE_URL'] ?? '';
    const { sql, close } = openDatabase({ url, applicationName: 'test' });
    const rows = await sql`
      select * from replays where session_id = ${session} and erased_at is not null and first_at is null`;
    expect(rows).toHaveLength(1);
    expect(await sql`select * from replay_people where session_id = ${session}`).toHaveLength(0);
    expect(await sql`select * from replay_chunks where session_id = ${session}`).toHaveLength(0);
    await close();
  });
});

describe('the events of a session', () => {
  it('are an empty list where its chunks have none', async () => {
    const session = newSession();
    for (const seq of [0, 1]) await archiving.send(chunkOf(session, seq, []));
    await archiving.until(session, { chunks: 2 });
    expect(await archiving.events(session)).toEqual([]);
    await archiving.send(chunkOf(session, 2, [event(2), event(3)]));
    await archiving.send(chunkOf(session, 3, []));
    await archiving.send(chunkOf(session, 4, [event(4)]));
    await archiving.until(session, { chunks: 5 });
    expect(await archiving.events(session)).toEqual([event(2), event(3), event(4)]);
  });

  it('are refused with 502 when an object is no longer there, naming it', async () => {
    const session = newSession();
    for (const seq of [0, 1, 2]) await archiving.send(chunkOf(session, seq, [event(seq)]));
    await archiving.until(session, { chunks: 3 });
    const lost = (await keysOf(session))[1] ?? '';
    await archiving.objects.delete(lost);
    const answer = await archiving.manage('GET', archiving.path(session, '/events'));
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({
      error: { code: 'REPLAY_OBJECT_MISSING', message: expect.stringContaining(lost) },
    });
  });

  it('end before their time when an object is damaged, so that nobody takes them for whole', async () => {
    const session = newSession();
    const text = randomBytes(400_000).toString('hex');
    for (const seq of [0, 1]) await archiving.send(chunkOf(session, seq, [{ ...event(seq), text }]));
    await archiving.until(session, { chunks: 2 });
    const [, damaged = ''] = await keysOf(session);
    await archiving.objects.put(damaged, randomBytes(1000));
    const answer = await archiving.manage('GET', archiving.path(session, '/events'));
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it('are read no faster than they are taken', async () => {
    const session = newSession();
    const text = randomBytes(2_500_000).toString('base64');
    const chunks = 8;
    for (let seq = 0; seq < chunks; seq++) {
      await archiving.send(chunkOf(session, seq, [{ ...event(seq), text }]));
    }
    await archiving.until(session, { chunks });
    const answer = await archiving.manage('GET', archiving.path(session, '/events'));
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(first?.value?.length).toBeGreaterThan(0);
    // Nothing more is taken: an object that goes away now is one that was not read ahead.
    const last = (await keysOf(session)).at(-1) ?? '';
    await archiving.objects.delete(last);
    await expect(
      (async () => {
        for (;;) if ((await reader?.read())?.done) return;
      })(),
    ).rejects.toThrow();
  }, 60_000);
});
