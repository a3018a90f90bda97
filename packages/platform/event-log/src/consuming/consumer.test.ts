import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { UnknownTopic } from '../errors.ts';
import { createConsumer } from './consumer.ts';

it('waits quietly for a topic that another service creates a moment later, and reports other problems', async () => {
  const outcomes = [new UnknownTopic('there is no topic calls'), new Error('no'), undefined];
  const reported: unknown[] = [];
  const logger = { failed: (_: string, error: unknown) => void reported.push(error) };
  const consumer = createConsumer({
    async consume() {
      const error = outcomes.shift();
      if (error !== undefined) throw error;
      return { stop: async () => undefined, lag: async () => [] };
    },
    topics: ['calls'],
    logger,
  });
  consumer.start();
  await eventually(() => expect(outcomes).toEqual([]), { withinMs: 10_000 });
  await consumer.stop();
  expect(reported).toEqual([new Error('no')]);
});
