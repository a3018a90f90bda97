import { describe, expect, it } from 'vitest';
import { EventLogUnavailable } from './errors.ts';
import { outOfStep } from './kafka/producer.ts';
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
    repeatable: outOfStep,
    onLog: (entry) => entries.push(entry),
  });
  return { sender, entries, opened: () => opened, closed: () => closed };
}

const sequenceError = () =>
  Promise.reject(
    new EventLogUnavailable('not stored', {
      cause: Object.assign(new Error('The broker received an out of order sequence number'), {
        type: 'OUT_OF_ORDER_SEQUENCE_NUMBER',
      }),
    }),
  );

describe('a sender', () => {
  it('keeps its connection while sends succeed', async () => {
    const { sender, opened } = setUp([]);
    await sender.send(batch, soon());
    await sender.send(batch, soon());
    expect(opened()).toBe(1);
  });

  it('sends again through a fresh producer when the counts of broker and producer differ', async () => {
    const { sender, opened, closed, entries } = setUp([sequenceError, sequenceError]);
    await sender.send(batch, soon());
    expect([opened(), closed()]).toEqual([3, 2]);
    expect(entries.map((entry) => entry.level)).toEqual(['warn', 'info']);
  });

  it('never uses a connection again whose send failed or did not answer', async () => {
    const { sender, opened, closed } = setUp([
      () => Promise.reject(new EventLogUnavailable('away')),
      () => new Promise(() => {}),
    ]);
    await expect(sender.send(batch, soon())).rejects.toThrow('away');
    await expect(sender.send(batch, performance.now() + 20)).rejects.toThrow(EventLogUnavailable);
    await sender.send(batch, soon());
    expect([opened(), closed()]).toEqual([3, 2]);
  });
});
