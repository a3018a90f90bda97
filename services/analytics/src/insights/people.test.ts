import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestEvent } from '../testing/reference.ts';
import { startAnalytics } from '../testing/service.ts';

let analytics: Awaited<ReturnType<typeof startAnalytics>>;
const NOON = Date.parse('2026-03-01T12:00:00Z');
const question = {
  kind: 'funnel',
  range: { from: '2026-03-01', to: '2026-03-01' },
  steps: [{ event: 'seen' }, { event: 'bought' }],
};

beforeAll(async () => {
  analytics = await startAnalytics();
  const events: TestEvent[] = Array.from({ length: 9 }, (_, index) => index).flatMap((index) =>
    ['seen', ...(index < 3 ? ['bought'] : [])].map((name) => ({
      id: `${name} ${index}`,
      t: NOON + index,
      name,
      person: `user-${index}`,
      session: null,
      properties: null,
      context: null,
    })),
  );
  await analytics.archive('shop', 'funnel', events);
  await analytics.publish('identifies', [
    {
      key: 'shop',
      value: {
        project_id: 'shop',
        distinct_id: 'user-1',
        traits: { plan: 'pro' },
        timestamp: '2026-03-01T12:00:00Z',
        received_at: '2026-03-01T12:00:00Z',
      },
    },
  ]);
});
afterAll(() => analytics.stop());

interface People {
  people: { distinctId: string; ids: string[]; traits: object }[];
  nextCursor: string | null;
}

async function ask(body: object, status = 200): Promise<People> {
  const answer = await analytics.call('POST', '/v1/projects/shop/insights/people', { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body as People;
}

describe('the people behind a value', () => {
  it('are those of a step of a funnel, with their traits', async () => {
    const { people } = await ask({ question, point: { step: 1 } });
    expect(people.map(({ distinctId, traits }) => [distinctId, traits])).toEqual([
      ['user-0', {}],
      ['user-1', { plan: 'pro' }],
      ['user-2', {}],
    ]);
  });

  it('are read page by page', async () => {
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await ask({ question, point: { step: 1, state: 'dropped' }, limit: 4, cursor });
      found.push(...page.people.map(({ distinctId }) => distinctId));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(['user-3', 'user-4', 'user-5', 'user-6', 'user-7', 'user-8']);
  });

  it('need a point of the result, and the permission to read people', async () => {
    expect(await ask({ question, point: { step: 7 } }, 400)).toMatchObject({
      error: { message: 'point.step: must be a number from 0 to 1' },
    });
    const stranger = await analytics.call('POST', '/v1/projects/shop/insights/people', {
      body: { question, point: { step: 0 } },
      sub: 'eve',
    });
    expect([403, 404]).toContain(stranger.status);
  });
});
