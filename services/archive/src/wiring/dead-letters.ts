import type { ExpiringData } from '@switchboard/database';
import type { Archive } from '../config.ts';
import { createLettersConsumer } from '../dead-letters/consumer.ts';
import { createDeadLetters } from '../dead-letters/dead-letters.ts';
import { deadLettersRoutes } from '../dead-letters/routes.ts';
import { createDeadLettersStore } from '../dead-letters/store.ts';

/** The least time that the log keeps dead letters. */
const LISTED_DAYS = 30;
const LETTERS_AT_ONCE = 5_000;

/** Opens the list of dead letters and their replay. */
export function openDeadLetters({ app, db, log }: Archive): void {
  deadLettersRoutes(app, { deadLetters: createDeadLetters({ db, log }) });
}

/** Runs the work of the role `events` for dead letters: finds them. Returns the data that expires. */
export function runDeadLetters(service: Archive): ExpiringData[] {
  const store = createDeadLettersStore(service.db);
  service.run(createLettersConsumer({ ...service, store }));
  return [
    {
      kind: 'dead letters',
      days: LISTED_DAYS,
      removeBefore: async (time) => ({ rows: await store.removeBefore(time, LETTERS_AT_ONCE) }),
      oldest: store.oldest,
    },
  ];
}
