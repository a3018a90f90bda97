import type { Admin } from 'kafkajs';
import { expect, it } from 'vitest';
import { readLag } from '../offsets.ts';
import { rangeOf } from './range.ts';
import { createRanges } from './ranges.ts';

const NEXT = 'events.from-1';

/** Simulates `events` and `events.from-1` with one partition each, a group's commits, and successive end offsets. */
function adminOf(committed: Record<string, string>, ends: Record<string, string[]>): Admin {
  const admin: Partial<Admin> = {
    listTopics: async () => ['events', NEXT],
    async fetchTopicOffsets(topic) {
      const [high = '0', ...later] = ends[topic] ?? [];
      if (later.length > 0) ends[topic] = later;
      return [{ partition: 0, offset: high, low: '0', high }];
    },
    fetchOffsets: async () =>
      ['events', NEXT].map((topic) => {
        return { topic, partitions: [{ partition: 0, offset: committed[topic] ?? '-1', metadata: null }] };
      }),
  };
  return admin as Admin;
}

async function readsFrom(admin: Admin): Promise<string> {
  const ranges = createRanges({ use: async (_, work) => work(admin), close: async () => {} });
  return (await ranges.toRead('group', 'events')).kafkaTopic;
}

it('a group that has read partitions to their ends continues with the next partitions', async () => {
  expect(await readsFrom(adminOf({ events: '5' }, { events: ['5'], [NEXT]: ['1'] }))).toBe(NEXT);
});

it('a group waits while replicas have yet to store a record that the leader has accepted', async () => {
  expect(await readsFrom(adminOf({ events: '5' }, { events: ['5', '5', '6'], [NEXT]: ['1'] }))).toBe(
    'events',
  );
});

it('a group that was reset reads the old partitions again', async () => {
  const admin = adminOf({ events: '0', [NEXT]: '0' }, { events: ['5'], [NEXT]: ['1'] });
  expect(await readsFrom(admin)).toBe('events');
  const lags = await readLag(admin, 'group', [[rangeOf('events', 0), rangeOf('events', 1)]]);
  expect(lags.map(({ behind }) => behind)).toEqual([5n, 1n]);
});
