import { describe, expect, it } from 'vitest';
import { EventLogUnavailable } from '../errors.ts';
import { record } from '../testing/records.ts';
import type { LogEntry } from '../types.ts';
import { createSender, type SendConnection } from './sender.ts';

const batchWithin = (ms: number) => [
  {
    topic: 'events',
    partition: 0,
    records: [record('a')],
    sizes: [65],
    bytes: 65,
    deadline: performance.now() + ms,
  },
];

function setUp(answers: (() => Promise<number[]>)[]) {
  const entries: LogEntry[] = [];
  let opened = 0;
  let closed = 0;
  const sender = createSender({
    name: 'test',
    async open(): Promise<SendConnection> {
      const answer = answers[opened++] ?? (async () => [7]);
      return {
        send: answer,
        async close() {
          closed++;
        },
      };
    },
    isRetryable: (error) => error instanceof RangeError,
    onLog: (entry) => entries.push(entry),
  });
  return { sender, entries, opened: () => opened, closed: () => closed };
}

const rejectForNow = () => Promise.reject(new RangeError('not now'));

describe('the sender on PostgreSQL', () => {
  it('reuses its connection while sends succeed', async () => {
    const { sender, opened } = setUp([]);
    expect(await sender.send('all', batchWithin(2_000))).toEqual([7]);
    expect(await sender.send('all', batchWithin(2_000))).toEqual([7]);
    expect(opened()).toBe(1);
  });

  it('retries through a new connection after a temporary error', async () => {
    const { sender, opened, closed, entries } = setUp([rejectForNow, rejectForNow]);
    expect(await sender.send('all', batchWithin(2_000))).toEqual([7]);
    expect([opened(), closed()]).toEqual([3, 2]);
    expect(entries.map((entry) => entry.level)).toEqual(['warn', 'info']);
  });

  it('does not reuse a connection after a send failed or timed out', async () => {
    const { sender, opened, closed } = setUp([
      () => Promise.reject(new EventLogUnavailable('unavailable')),
      () => new Promise(() => {}),
    ]);
    expect(await sender.send('all', batchWithin(2_000))).toEqual([new EventLogUnavailable('unavailable')]);
    expect(await sender.send('all', batchWithin(20))).toEqual([expect.any(EventLogUnavailable)]);
    expect(await sender.send('all', batchWithin(2_000))).toEqual([7]);
    expect([opened(), closed()]).toEqual([3, 2]);
  });
});
