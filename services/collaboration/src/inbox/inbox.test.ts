import { beforeAll, describe, expect, it } from 'vitest';
import { useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();
const THREADS = '/v1/projects/shop/reports/signups/comment-threads';
const REVENUE = '/v1/projects/shop/reports/revenue/comment-threads';
const inboxOf = async (sub: string, project = 'shop') =>
  (await harness.as(sub).call('GET', `/v1/projects/${project}/comment-threads`)).body;
const start = async (sub: string, body: string, mentions: string[] = [], path = THREADS) =>
  (await harness.as(sub).call('POST', path, { body, mentions })).body;
const reply = (sub: string, threadId: string, body: string) =>
  harness.as(sub).call('POST', `/v1/projects/shop/comment-threads/${threadId}/comments`, { body });
const listThreads = (sub: string) => harness.as(sub).call('GET', THREADS);
let minute = 0;
const later = () => harness.clock.set(`2026-03-01T12:${String(minute++).padStart(2, '0')}:00.000Z`);

beforeAll(later);

describe('the inbox of comment threads', () => {
  it('lists a thread that mentions a person as unread, until they list the threads of the report', async () => {
    const { id } = await start('ada', 'Look at Tuesday, @Grace', ['grace']);
    expect(await inboxOf('grace')).toMatchObject({
      unread: 1,
      threads: [
        {
          id,
          reportId: 'signups',
          concern: 'mention',
          unread: true,
          resolved: false,
          comments: 1,
          last: {
            authorSub: 'ada',
            text: 'Look at Tuesday, @Grace',
            createdAt: harness.clock.now().toISOString(),
          },
        },
      ],
    });
    expect((await inboxOf('ada')).threads).toEqual([]);
    later();
    await listThreads('grace');
    expect(await inboxOf('grace')).toMatchObject({ unread: 0, threads: [{ id, unread: false }] });
  });

  it('lists replies in threads that a person has written in, unread ones first', async () => {
    later();
    const own = await start('ada', 'Why?');
    later();
    const other = await start('ada', 'And revenue?', [], REVENUE);
    later();
    await reply('grace', other.id, 'It fell.');
    later();
    await reply('grace', own.id, 'A campaign.');
    later();
    await listThreads('ada');
    later();
    const { unread, threads } = await inboxOf('ada');
    expect(unread).toBe(1);
    expect(threads.map(({ id }: { id: string }) => id).slice(0, 2)).toEqual([other.id, own.id]);
    expect(threads[0]).toMatchObject({ concern: 'reply', unread: true, reportId: 'revenue' });
    await reply('grace', own.id, 'It ended.');
    expect((await inboxOf('ada')).threads[0]).toMatchObject({ id: own.id, unread: true, comments: 3 });
  });

  it('does not count a resolved thread as unread', async () => {
    later();
    const { id } = await start('ada', 'Done?', ['grace']);
    const before = (await inboxOf('grace')).unread;
    await harness.as('ada').call('PUT', `/v1/projects/shop/comment-threads/${id}/resolution`);
    const { unread, threads } = await inboxOf('grace');
    expect(unread).toBe(before - 1);
    expect(threads.find((one: { id: string }) => one.id === id)).toMatchObject({
      resolved: true,
      unread: false,
    });
  });

  it('omits threads without a comment by another person within 90 days', async () => {
    later();
    const { id } = await start('ada', 'Old', ['grace']);
    const has = async () => (await inboxOf('grace')).threads.some((one: { id: string }) => one.id === id);
    expect(await has()).toBe(true);
    harness.clock.set('2026-05-30T13:00:00.000Z');
    expect(await has()).toBe(false);
    later();
  });

  it('omits a deleted comment, and a thread in which nothing of others is left', async () => {
    later();
    const { id, comments } = await start('ada', 'Wrong report', ['grace']);
    await harness.as('ada').call('DELETE', `/v1/projects/shop/comments/${comments[0].id}`);
    const ids = (await inboxOf('grace')).threads.map((one: { id: string }) => one.id);
    expect(ids).not.toContain(id);
  });

  it('forgets that the threads of a deleted report were read', async () => {
    const put = () => harness.directory.put('report', { projectId: 'shop', id: 'brief', name: 'Brief' });
    const path = '/v1/projects/shop/reports/brief/comment-threads';
    await put();
    later();
    await expect.poll(async () => (await harness.as('grace').call('GET', path)).status).toBe(200);
    await harness.directory.remove('report', 'shop', 'brief');
    await expect.poll(async () => (await harness.as('grace').call('GET', path)).status).toBe(404);
    await put();
    await expect.poll(async () => (await harness.as('ada').call('GET', path)).status).toBe(200);
    // Earlier than the first list.
    harness.clock.set('2026-03-01T12:00:30.000Z');
    const { id } = await start('ada', 'New', ['grace'], path);
    const { threads } = await inboxOf('grace');
    expect(threads.find((one: { id: string }) => one.id === id)).toMatchObject({ unread: true });
  });
});
