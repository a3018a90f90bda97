import { randomBytes } from 'node:crypto';
import type { Replay } from '@switchboard/contracts';
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
    ['GET', () => archive.path(session, '/chunks')],
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
    for (const rest of ['', '/events', '/chunks']) {
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

const href = (path: string) => ({ type: 4, data: { href: `https://shop.example${path}` }, timestamp: 1 });
const sent = (name: unknown) => ({
  type: 5,
  data: { tag: 'switchboard.event', payload: { name } },
  timestamp: 2,
});
const logged = (level: string) => ({
  type: 6,
  data: { plugin: 'rrweb/console@1', payload: { level, payload: ['"no stock"'] } },
  timestamp: 3,
});

describe('the contents of recordings', () => {
  const person = newSession();
  const [checkout, home, long] = [newSession(), newSession(), newSession()];
  const list = async (query: string) => {
    const answer = await archive.manage('GET', `project-1/replays?distinct_id=${person}&${query}`);
    return (await answer.json()) as { replays: Replay[]; nextCursor: string | null };
  };
  const sessionsOf = async (query: string) => (await list(query)).replays.map(({ sessionId }) => sessionId);

  beforeAll(async () => {
    const record = (session: string, events: unknown[]) =>
      archive.send(chunkOf(session, 0, events, { distinct_id: person }));
    await record(checkout, [
      href('/cart?coupon=secret#top'),
      href('/checkout'),
      href('/cart'),
      sent('checkout started'),
      sent(7),
      logged('error'),
      logged('info'),
      { ...href('/x'), data: 'no object' },
      'no event',
    ]);
    await archive.until(checkout, { chunks: 1 });
    await record(home, [href('/'), sent('checkout started')]);
    await archive.until(home, { chunks: 1 });
    await record(long, [href('/checkout'), event(1_000), event(121_000)]);
    await archive.send(chunkOf(long, 1, [href('/thanks'), sent('order placed')], { distinct_id: person }));
    await archive.until(long, { chunks: 2 });
  });

  it('lists the pages, event names and errors of a recording, without queries and fragments', async () => {
    const { replays } = await list('');
    expect(replays).toMatchObject([
      {
        pages: ['https://shop.example/checkout', 'https://shop.example/thanks'],
        eventNames: ['order placed'],
      },
      { pages: ['https://shop.example/'], errors: 0 },
      {
        pages: ['https://shop.example/cart', 'https://shop.example/checkout'],
        eventNames: ['checkout started'],
        errors: 1,
      },
    ]);
  });

  it('selects recordings by event, page, length and errors', async () => {
    expect(await sessionsOf('event=checkout%20started')).toEqual([home, checkout]);
    expect(await sessionsOf('event=checkout')).toEqual([]);
    expect(await sessionsOf('page=/checkout')).toEqual([long, checkout]);
    expect(await sessionsOf('page=%25')).toEqual([]);
    expect(await sessionsOf('min_seconds=60')).toEqual([long]);
    expect(await sessionsOf('max_seconds=60')).toEqual([home, checkout]);
    expect(await sessionsOf('errors=true')).toEqual([checkout]);
    expect(await sessionsOf('errors=false&page=/checkout')).toEqual([long]);
  });

  it('pages through selected recordings', async () => {
    const first = await list('page=/checkout&limit=1');
    expect(first.replays.map(({ sessionId }) => sessionId)).toEqual([long]);
    expect(await sessionsOf(`page=/checkout&limit=1&cursor=${first.nextCursor}`)).toEqual([checkout]);
  });

  it.each(['errors=maybe', 'min_seconds=-1', 'max_seconds=604801', `page=${'x'.repeat(501)}`])(
    'rejects %s',
    async (query) => {
      const answer = await archive.manage('GET', `project-1/replays?${query}`);
      expect(await codeOf(answer)).toEqual([400, 'BAD_REQUEST']);
    },
  );

  it('removes the contents from the row of a deleted recording', async () => {
    const session = newSession();
    await archive.send(chunkOf(session, 0, [href('/private'), sent('very private'), logged('error')]));
    await archive.until(session, { errors: 1 });
    await archive.manage('DELETE', archive.path(session));
    const { sql, close } = openDatabase({ url: archive.databaseUrl, applicationName: 'test' });
    const rows = await sql`select pages, event_names, errors::int from replays where session_id = ${session}`;
    expect(rows).toEqual([{ pages: [], event_names: [], errors: 0 }]);
    await close();
  });
});

describe('the chunks of a session', () => {
  interface ChunksPage {
    chunks: { seq: number; missing: number; events: unknown[] | null }[];
    nextCursor: string | null;
  }
  const read = async (session: string, query = '') =>
    (await (await archive.manage('GET', archive.path(session, `/chunks${query}`))).json()) as ChunksPage;

  it('reads the chunks of a session in order, with gaps and lost objects, page by page', async () => {
    const session = newSession();
    for (const seq of [6, 2, 3, 5]) await archive.send(chunkOf(session, seq, [event(seq)]));
    await archive.until(session, { chunks: 4 });
    await archive.objects.delete((await keysOf(session))[2] ?? '');
    const expected = [
      { seq: 2, missing: 2, events: [event(2)] },
      { seq: 3, missing: 0, events: [event(3)] },
      { seq: 5, missing: 1, events: null },
      { seq: 6, missing: 0, events: [event(6)] },
    ];
    expect(await read(session)).toEqual({ chunks: expected, nextCursor: null });
    const first = await read(session, '?limit=3');
    expect(first.chunks).toEqual(expected.slice(0, 3));
    expect(await read(session, `?limit=3&cursor=${first.nextCursor}`)).toEqual({
      chunks: expected.slice(3),
      nextCursor: null,
    });
  });

  it('ends a page of chunks after 2 MB', async () => {
    const session = newSession();
    const text = randomBytes(900_000).toString('hex');
    for (const seq of [0, 1, 2]) await archive.send(chunkOf(session, seq, [{ ...event(seq), text }]));
    await archive.until(session, { chunks: 3 });
    const first = await read(session);
    expect(first.chunks.map(({ seq }) => seq)).toEqual([0, 1]);
    const second = await read(session, `?cursor=${first.nextCursor}`);
    expect(second.chunks.map(({ seq }) => seq)).toEqual([2]);
    expect(second.nextCursor).toBeNull();
  });

  it('answers 400 for an unknown cursor of chunks', async () => {
    const session = newSession();
    await archive.send(chunkOf(session, 0, []));
    await archive.until(session, { chunks: 1 });
    const answer = await archive.manage('GET', archive.path(session, '/chunks?cursor=x'));
    expect(await codeOf(answer)).toEqual([400, 'BAD_REQUEST']);
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
  });
});
