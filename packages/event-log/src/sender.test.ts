import { describe, expect, it } from 'vitest';
import { EventLogUnavailable } from './errors.ts';
import { isSequenceError } from './kafka/producer.ts';
import { createSender, type SendConnection } from './sender.ts';
import { record } from './testing/records.ts';
import type { LogEntry } from './types.ts';

const batch = [{ topic: 'events', records: [record('a')], sizes: [65], bytes: 65 }];
const soon = () => performance.now() + 2_000;

function setUp(answers: (() => Promise<() => number>)[]) {
  const entries: LogEntry[] = [];
  let opened = 0;
  let closed = 0;
  const sender = createSender({
    name: 'test',
    async open(): Promise<SendConnection> {
      const answer = answers[opened++] ?? (async () => () => 0);
      return {
        send: answer,
        async close() {
          closed++;
        },
      };
    },
    isRetryable: isSequenceError,
    onLog: (entry) => entries.push(entry),
  });
  return { sender, entries, opened: () => opened, closed: () => closed };
}

const rejectWithSequenceError = () =>
  Promise.reject(
    new EventLogUnavailable('not stored', {
      cause: Object.assign(new Error('The broker received an out of order sequence number'), {
        type: 'OUT_OF_ORDER_SEQUENCE_NUMBER',
      }),
    }),
  );

describe('createSender', () => {
  it('reuses its connection while sends succeed', async () => {
    const { sender, opened } = setUp([]);
    await sender.send(batch, soon());
    await sender.send(batch, soon());
    expect(opened()).toBe(1);
  });

  it('retries with a new producer after a sequence error', async () => {
    const { sender, opened, closed, entries } = setUp([rejectWithSequenceError, rejectWithSequenceError]);
    await sender.send(batch, soon());
    expect([opened(), closed()]).toEqual([3, 2]);
    expect(entries.map((entry) => entry.level)).toEqual(['warn', 'info']);
  });

  it('does not reuse a connection after a send failed or timed out', async () => {
    const { sender, opened, closed } = setUp([
      () => Promise.reject(new EventLogUnavailable('unavailable')),
      () => new Promise(() => {}),
    ]);
    await expect(sender.send(batch, soon())).rejects.toThrow('unavailable');
    await expect(sender.send(batch, performance.now() + 20)).rejects.toThrow(EventLogUnavailable);
    await sender.send(batch, soon());
    expect([opened(), closed()]).toEqual([3, 2]);
  });
});
