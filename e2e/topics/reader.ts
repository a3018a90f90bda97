import type { EventLog } from '@switchboard/event-log';
import { z } from 'zod';

const event = z.object({ distinct_id: z.string(), properties: z.object({ number: z.number() }) });

/**
 * Reads `events` in a separate consumer group. Returns the numbers of each person's events in the order received.
 * Omits repeats, because a partly rejected request is sent again.
 */
export async function readAlong(log: EventLog): Promise<ReadonlyMap<string, number[]>> {
  const numbers = new Map<string, number[]>();
  await log.consume({
    group: 'along',
    topics: ['events'],
    async handle({ records }) {
      for (const line of records.flatMap(({ value }) => String(value).split('\n'))) {
        const { distinct_id: person, properties } = event.parse(JSON.parse(line));
        const known = numbers.get(person) ?? [];
        numbers.set(person, known);
        if (!known.includes(properties.number)) known.push(properties.number);
      }
    },
  });
  return numbers;
}
