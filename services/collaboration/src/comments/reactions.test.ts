import type { CallResult } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();

const project = '/v1/projects/shop';
const threads = `${project}/reports/signups/comment-threads`;
const start = async () => (await harness.as('ada').call('POST', threads, { body: 'What happened?' })).body;
const reply = (threadId: string, body: object, sub = 'grace') =>
  harness.as(sub).call('POST', `${project}/comment-threads/${threadId}/comments`, body);
const onComment = (method: string, id: string, body?: object, sub = 'ada') =>
  harness.as(sub).call(method, `${project}/comments/${id}`, body);
const list = async () => (await harness.as('ada').call('GET', threads)).body.threads;

describe('the resolution of a thread', () => {
  const resolution = (method: string, id: string, sub: string) =>
    harness.as(sub).call(method, `${project}/comment-threads/${id}/resolution`);

  it('records who resolved a thread and when, keeps it when resolved again, and clears it when reopened', async () => {
    const { id } = await start();
    const { status, body } = await resolution('PUT', id, 'grace');
    expect(status).toBe(200);
    expect(body).toMatchObject({ resolved: true, resolvedBySub: 'grace', resolvedAt: expect.any(String) });
    expect((await resolution('PUT', id, 'ada')).body).toEqual(
      expect.objectContaining({ resolvedBySub: 'grace', resolvedAt: body.resolvedAt }),
    );
    const open = { resolved: false, resolvedBySub: null, resolvedAt: null };
    expect((await resolution('DELETE', id, 'alan')).body).toMatchObject(open);
    expect((await resolution('DELETE', id, 'alan')).body).toMatchObject(open);
    expect((await resolution('PUT', id, 'alan')).body).toMatchObject({ resolvedBySub: 'alan' });
  });

  it('records one of many people who resolve a thread at once', async () => {
    const { id } = await start();
    const people = ['ada', 'grace', 'alan', 'ada', 'grace', 'alan'];
    const answers = await Promise.all(people.map((sub) => resolution('PUT', id, sub)));
    const firsts = new Set(answers.map(({ body }) => `${body.resolvedBySub} ${body.resolvedAt}`));
    expect(firsts.size).toBe(1);
  });

  it('accepts replies to a resolved thread', async () => {
    const { id } = await start();
    await resolution('PUT', id, 'grace');
    expect((await reply(id, { body: 'x' })).body).toMatchObject({ resolved: true });
  });
});

describe('reactions', () => {
  const react = (method: string, id: string, emoji: string, sub = 'ada') =>
    onComment(method, `${id}/reactions/${encodeURIComponent(emoji)}`, undefined, sub);
  const six = ['👍', '❤️', '🎯', '🎉', '🤔', '👀'];
  const given = ({ body }: CallResult) => body.comments[0].reactions;

  it('returns six reactions in a fixed order, each with count and reactedByMe', async () => {
    const { id } = (await start()).comments[0];
    for (const emoji of [...six].reverse()) expect((await react('PUT', id, emoji)).status).toBe(200);
    const answer = await react('PUT', id, '🎯', 'grace');
    expect(given(answer)).toEqual(
      six.map((emoji) => ({ emoji, count: emoji === '🎯' ? 2 : 1, reactedByMe: emoji === '🎯' })),
    );
  });

  it('accepts reactions with and without U+FE0F, and returns one form', async () => {
    const { id } = (await start()).comments[0];
    await react('PUT', id, '\u2764');
    await react('PUT', id, '👍\uFE0F');
    expect(given(await react('PUT', id, '\u2764\uFE0F'))).toEqual([
      { emoji: '👍', count: 1, reactedByMe: true },
      { emoji: '❤️', count: 1, reactedByMe: true },
    ]);
  });

  it.each(['🚀', 'x', '👍🏽', '👍👍', '%'])('rejects the reaction %s with 400', async (emoji) => {
    const { id } = (await start()).comments[0];
    expect((await react('PUT', id, emoji)).status).toBe(400);
    expect((await react('DELETE', id, emoji)).status).toBe(400);
  });

  it('counts each person once, also with concurrent requests', async () => {
    const { id } = (await start()).comments[0];
    const people = ['ada', 'grace', 'alan'];
    await Promise.all(people.flatMap((sub) => [1, 2, 3, 4].map(() => react('PUT', id, '🎉', sub))));
    expect(given(await react('PUT', id, '🎉'))).toEqual([{ emoji: '🎉', count: 3, reactedByMe: true }]);
  });

  it('removes a reaction only for its own person, and ignores a missing one', async () => {
    const { id } = (await start()).comments[0];
    await react('PUT', id, '🤔', 'grace');
    expect(given(await react('DELETE', id, '🤔'))).toEqual([{ emoji: '🤔', count: 1, reactedByMe: false }]);
    expect(given(await react('DELETE', id, '🤔', 'grace'))).toEqual([]);
  });

  it('deletes reactions that arrive while their comment is deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = (await start()).comments[0];
      const people = ['ada', 'grace', 'alan'];
      await Promise.all([
        ...people.map((sub) => react('PUT', id, '🎉', sub)),
        onComment('DELETE', id),
        ...people.map((sub) => react('PUT', id, '🎯', sub)),
      ]);
      const stored = (await list()).at(-1).comments[0];
      expect(stored).toMatchObject({ deleted: true, reactions: [] });
    }
  });

  it('answers 404 to a reaction to an unknown comment', async () => {
    expect((await react('PUT', 'cmt_none', '🎉')).status).toBe(404);
    expect((await react('DELETE', 'cmt_none', '🎉')).status).toBe(404);
  });
});
