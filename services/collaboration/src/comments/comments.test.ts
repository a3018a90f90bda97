import { type Database, openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();

const project = '/v1/projects/shop';
const ofReport = (report = 'signups') => `${project}/reports/${report}/comment-threads`;
const start = async (body: object = {}, sub = 'ada') =>
  (await harness.as(sub).call('POST', ofReport(), { body: 'What happened?', ...body })).body;
const reply = (threadId: string, body: object, sub = 'grace') =>
  harness.as(sub).call('POST', `${project}/comment-threads/${threadId}/comments`, body);
const onComment = (method: string, id: string, body?: object, sub = 'ada') =>
  harness.as(sub).call(method, `${project}/comments/${id}`, body);
const list = async (report?: string, sub = 'ada') =>
  (await harness.as(sub).call('GET', ofReport(report))).body.threads;

describe('a thread', () => {
  it('returns all fields of a thread', async () => {
    const thread = await start({ anchor: { metric: 'sign-ups', bucket: '2026-03-01' }, mentions: ['grace'] });
    expect(thread).toEqual({
      id: expect.stringMatching(/^thr_[0-9a-f]{32}$/),
      reportId: 'signups',
      anchor: { metric: 'sign-ups', bucket: '2026-03-01' },
      resolved: false,
      resolvedAt: null,
      resolvedBySub: null,
      createdBySub: 'ada',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      comments: [
        {
          id: expect.stringMatching(/^cmt_[0-9a-f]{32}$/),
          threadId: thread.id,
          body: 'What happened?',
          mentions: ['grace'],
          authorSub: 'ada',
          authorName: 'Ada Lovelace',
          createdAt: thread.createdAt,
          editedAt: null,
          deleted: false,
          canChange: true,
          reactions: [],
        },
      ],
    });
  });

  it('treats a thread without an anchor as one about the whole report', async () => {
    expect((await start()).anchor).toBeNull();
    expect((await start({ anchor: null })).anchor).toBeNull();
  });

  it('keeps every field of an anchor', async () => {
    const anchor = {
      metric: 'm',
      bucket: 'b',
      breakdown: ['DE', 'mobile'],
      step: 0,
      event: 'e',
      cohortBucket: 'c',
      period: 4_294_967_295,
      daysActive: 7,
      state: null,
    };
    expect((await start({ anchor })).anchor).toEqual(anchor);
  });

  it('lists threads only on their report, earliest first, with comments in order', async () => {
    const [one, two] = [await start(), await start()];
    await reply(one.id, { body: 'first' });
    await reply(one.id, { body: 'second' }, 'ada');
    await harness.as('ada').call('POST', ofReport('revenue'), { body: 'elsewhere' });
    const threads = await list();
    const ids = threads.map(({ id }: { id: string }) => id);
    expect(ids.indexOf(one.id)).toBeLessThan(ids.indexOf(two.id));
    expect(ids.slice(-2)).toEqual([one.id, two.id]);
    const bodies = threads.at(-2).comments.map(({ body }: { body: string }) => body);
    expect(bodies).toEqual(['What happened?', 'first', 'second']);
    expect(await list('revenue')).toHaveLength(1);
  });

  it('gives concurrent replies separate positions', async () => {
    const { id } = await start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => reply(id, { body: String(index) })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const { comments } = (await list()).at(-1);
    const bodies = comments.slice(1).map(({ body }: { body: string }) => Number(body));
    expect(bodies.sort((a: number, b: number) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('answers 404 for a thread that is unknown or of another project', async () => {
    const { id } = await start();
    for (const path of ['comment-threads/thr_none', `comment-threads/${id}`]) {
      const base = path.endsWith('none') ? project : '/v1/projects/blog';
      for (const [method, rest, body] of [
        ['POST', 'comments', { body: 'x' }],
        ['PUT', 'resolution', undefined],
        ['DELETE', 'resolution', undefined],
      ] as const) {
        expect((await harness.as('ada').call(method, `${base}/${path}/${rest}`, body)).status).toBe(404);
      }
    }
  });

  it('removes a thread with its report', async () => {
    await harness.directory.put('report', { projectId: 'shop', id: 'brief', name: 'Brief' });
    const post = () => harness.as('ada').call('POST', ofReport('brief'), { body: 'x' });
    await expect.poll(async () => (await post()).status).toBe(201);
    const { id } = (await post()).body;
    await harness.directory.remove('report', 'shop', 'brief');
    await expect.poll(async () => (await reply(id, { body: 'x' })).status).toBe(404);
  });
});

describe('a comment', () => {
  it.each<[string, object]>([
    ['one character', { body: 'x' }],
    ['10,000 characters', { body: '\u{1F680}'.repeat(10_000) }],
    ['20 mentions', { mentions: Array.from({ length: 20 }, () => 'grace') }],
    ['mentions null', { mentions: null }],
    ['an anchor text of 200', { anchor: { metric: '\u{1F680}'.repeat(200) } }],
    ['a breakdown of 20', { anchor: { breakdown: Array.from({ length: 20 }, () => 'x') } }],
  ])('accepts a comment with %s', async (_, body) => {
    expect((await start(body)).id).toMatch(/^thr_/);
  });

  it.each<[string, object]>([
    ['no body', { body: undefined }],
    ['an empty body', { body: '' }],
    ['a body of white space', { body: ' \n\t' }],
    ['a body of null', { body: null }],
    ['10,001 characters', { body: 'x'.repeat(10_001) }],
    ['a NUL', { body: 'a\0' }],
    ['21 mentions', { mentions: Array.from({ length: 21 }, () => 'grace') }],
    ['a mention of a stranger', { mentions: ['grace', 'eve'] }],
    ['an empty mention', { mentions: [''] }],
    ['an anchor with another property', { anchor: { colour: 'red' } }],
    ['an anchor step below 0', { anchor: { step: -1 } }],
    ['an anchor step over 2^32 - 1', { anchor: { step: 4_294_967_296 } }],
    ['an anchor step that is not whole', { anchor: { step: 1.5 } }],
    ['an anchor text of 201', { anchor: { metric: 'x'.repeat(201) } }],
    ['a breakdown of 21', { anchor: { breakdown: Array.from({ length: 21 }, () => 'x') } }],
  ])('rejects a comment with %s', async (_, body) => {
    const { status } = await harness.as('ada').call('POST', ofReport(), { body: 'x', ...body });
    expect(status).toBe(400);
  });

  it('names a mentioned person who is not a member in the error', async () => {
    const { body } = await harness
      .as('ada')
      .call('POST', ofReport(), { body: 'x', mentions: ['grace', 'eve'] });
    expect(body.error.message).toBe('mentions[1]: "eve" is not a member of this company');
  });

  it('mentions each person once', async () => {
    const thread = await start({ mentions: ['grace', 'alan', 'grace'] });
    expect(thread.comments[0].mentions).toEqual(['grace', 'alan']);
  });

  it('lets only the author change text and mentions of a comment', async () => {
    const { comments } = await start({ mentions: ['grace'] });
    const { id } = comments[0];
    expect((await onComment('PATCH', id, { body: 'theirs' }, 'grace')).status).toBe(403);
    const { status, body } = await onComment('PATCH', id, { body: 'new' });
    expect(status).toBe(200);
    expect(body.comments[0]).toMatchObject({ body: 'new', mentions: [], editedAt: expect.any(String) });
    expect((await onComment('PATCH', id, { body: 'x', mentions: ['eve'] })).status).toBe(400);
    expect((await onComment('PATCH', id, { body: 'x', anchor: null })).status).toBe(400);
    expect((await onComment('PATCH', 'cmt_none', { body: 'x' })).status).toBe(404);
  });

  it('reports in each comment who can change it', async () => {
    const { id } = await start();
    const { body } = await reply(id, { body: 'mine' }, 'grace');
    const canChange = body.comments.map((comment: { canChange: boolean }) => comment.canChange);
    expect(canChange).toEqual([false, true]);
  });

  it('lets only the author delete a comment, and keeps its position', async () => {
    const { id } = await start();
    const { body } = await reply(id, { body: 'to go', mentions: ['alan'] });
    const comment = body.comments[1].id;
    await harness
      .as('ada')
      .call('PUT', `${project}/comments/${comment}/reactions/${encodeURIComponent('👀')}`);
    await reply(id, { body: 'after' });
    expect((await onComment('DELETE', comment)).status).toBe(403);
    const { status, body: thread } = await onComment('DELETE', comment, undefined, 'grace');
    expect(status).toBe(200);
    expect(thread.comments[1]).toMatchObject({
      id: comment,
      body: null,
      mentions: [],
      reactions: [],
      deleted: true,
      canChange: false,
      authorSub: 'grace',
    });
    expect(thread.comments[2].body).toBe('after');
    const again = await onComment('DELETE', comment, undefined, 'grace');
    expect([again.status, again.body]).toEqual([200, thread]);
    expect((await onComment('DELETE', 'cmt_none')).status).toBe(404);
  });

  it('answers 409 to changes and reactions of a deleted comment', async () => {
    const { comments } = await start();
    const { id } = comments[0];
    await onComment('DELETE', id);
    const changed = await onComment('PATCH', id, { body: 'x' });
    expect([changed.status, changed.body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await onComment('PATCH', id, { body: 'x' }, 'grace')).status).toBe(403);
    const reaction = `${id}/reactions/${encodeURIComponent('👀')}`;
    expect((await onComment('PUT', reaction)).status).toBe(409);
    expect((await onComment('DELETE', reaction)).status).toBe(200);
  });
});

describe('a rejected change', () => {
  it('writes no audit entry for a reply, a change or a reaction that is answered with 409', async () => {
    const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
    const entries = () =>
      eventually(async () => {
        expect(await database.sql`select 1 from audit.outbox`).toHaveLength(0);
        return harness.log.endOffsets('audit');
      });
    const { id, comments } = await start();
    const commentId = comments[0].id;
    await onComment('DELETE', commentId);
    const before = await entries();
    const rejected = [
      await reply(id, { body: 'x' }),
      await onComment('PATCH', commentId, { body: 'x' }),
      await onComment('PUT', `${commentId}/reactions/${encodeURIComponent('👀')}`),
    ];
    expect(rejected.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(await entries()).toEqual(before);
    await database.close();
  });
});

describe('a full thread', () => {
  let database: Database;
  beforeAll(() => {
    const { databaseUrl: url } = harness;
    database = openDatabase({ url, applicationName: 'test', statementTimeoutMs: 60_000 });
  });
  afterAll(() => database.close());

  /** Starts a thread and adds `count` comments of `bytes` bytes after the first. */
  async function startWith(count: number, bytes: number) {
    const thread = await start();
    await database.sql`
      insert into comments (id, thread_id, position, body, mentions, author_sub, created_at)
      select ${thread.id} || '_' || n, ${thread.id}, n + 1, repeat('x', ${bytes}::integer), '{}', 'ada', now()
      from generate_series(1, ${count}::integer) n`;
    return thread;
  }

  const full = {
    status: 409,
    body: { error: { code: 'CONFLICT', message: expect.stringContaining('The thread is full') } },
  };

  it('rejects comments beyond the maximum, also concurrent replies', async () => {
    const { id } = await startWith(998, 1);
    const replies = await Promise.all(Array.from({ length: 4 }, () => reply(id, { body: 'x' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(replies).toContainEqual(expect.objectContaining(full));
    expect((await list()).at(-1).comments).toHaveLength(1_000);
  });

  it('rejects a reply or a longer comment beyond the text limit of a thread', async () => {
    const { id, comments } = await startWith(99, 10_000);
    expect((await reply(id, { body: 'ж'.repeat(4_000) })).status).toBe(201);
    expect(await reply(id, { body: 'ж'.repeat(1_000) })).toMatchObject(full);
    expect(await onComment('PATCH', comments[0].id, { body: 'x'.repeat(2_001) })).toMatchObject(full);
    expect((await onComment('PATCH', comments[0].id, { body: 'x'.repeat(2_000) })).status).toBe(200);
  });
});

describe('a thread with a deleted first comment', () => {
  it('rejects a reply with 409 if the first comment of the thread is deleted', async () => {
    const { id, comments } = await start();
    await reply(id, { body: 'before' });
    await onComment('DELETE', comments[0].id);
    const { status, body } = await reply(id, { body: 'after' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await list()).at(-1).comments).toHaveLength(2);
  });

  it('rejects a reply that arrives during the deletion of the first comment', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, comments } = await start();
      const [deleted, ...replies] = await Promise.all([
        onComment('DELETE', comments[0].id),
        ...Array.from({ length: 5 }, () => reply(id, { body: 'x' })),
      ]);
      const added = replies.filter(({ status }) => status === 201).length;
      expect(deleted.status).toBe(200);
      expect(replies.every(({ status }) => status === 201 || status === 409)).toBe(true);
      expect((await list()).at(-1).comments).toHaveLength(1 + added);
      expect((await reply(id, { body: 'x' })).status).toBe(409);
    }
  });
});

describe('a clock that is set back', () => {
  it('gives no reply an earlier time than the comments before it', async () => {
    harness.clock.set('2026-03-01T12:00:00Z');
    const { id } = await start();
    await reply(id, { body: 'second' });
    harness.clock.set('2026-03-01T11:00:00Z');
    await Promise.all(Array.from({ length: 5 }, (_, n) => reply(id, { body: `at once ${n}` })));
    harness.clock.set('2026-03-01T12:00:01Z');
    const { comments } = (await reply(id, { body: 'last' })).body;
    const noon = '2026-03-01T12:00:00.000Z';
    expect(comments.map(({ createdAt }: { createdAt: string }) => createdAt)).toEqual([
      ...Array.from({ length: 7 }, () => noon),
      '2026-03-01T12:00:01.000Z',
    ]);
  });
});
