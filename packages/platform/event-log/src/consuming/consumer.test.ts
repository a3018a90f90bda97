import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { UnknownTopic } from '../errors.ts';
import { createConsumer } from './consumer.ts';

/** Runs a consumer with these outcomes of its first attempts. Returns the errors that it reported. */
async function reportedWith(
  outcomes: (Error | undefined)[],
  options: { onMissing?(): void; patience?: number } = {},
): Promise<unknown[]> {
  const reported: unknown[] = [];
  const consumer = createConsumer({
    async consume() {
      const error = outcomes.shift();
      if (error !== undefined) throw error;
      return { stop: async () => undefined, lag: async () => [] };
    },
    topics: ['calls'],
    logger: { failed: (_: string, error: unknown) => void reported.push(error) },
    ...options,
  });
  consumer.start();
  await eventually(() => expect(outcomes).toEqual([]), { withinMs: 10_000 });
  await consumer.stop();
  return reported;
}

const unknown = new UnknownTopic('there is no topic calls');

it('waits quietly for a topic that another service creates a moment later, and reports other problems', async () => {
  expect(await reportedWith([unknown, new Error('no'), undefined])).toEqual([new Error('no')]);
});

it('reports a topic that is missing after many attempts, but not after each of them', async () => {
  expect(await reportedWith([unknown, unknown, unknown, undefined], { patience: 2 })).toEqual([unknown]);
});

it('says once that a topic of an optional service is missing, and consumes it when it appears', async () => {
  let missing = 0;
  const options = { patience: 2, onMissing: () => void missing++ };
  expect(await reportedWith([unknown, unknown, unknown, undefined], options)).toEqual([]);
  expect(missing).toBe(1);
});
