import type { RecordBatch } from '@switchboard/event-log';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type EventsHarness,
  eventIds,
  newProject,
  onKafkaAndS3,
  onPostgresAndFolder,
  quick,
  sent,
} from '../testing/events-harness.ts';
import { createEventsStore } from './store.ts';

type Moment = 'before' | 'after';
const steps = ['statement', 'dead letter', 'put', 'commit'] as const;
type Step = (typeof steps)[number];

/** Creates a consumer in a process that is killed at the nth step of a kind, and does nothing from then on. */
function mortalConsumer(harness: EventsHarness, fatal: Step, dieAt: number, moment: Moment) {
  const { promise: died, resolve: die } = Promise.withResolvers<'died'>();
  let count = 0;
  let isDead = false;

  async function step<T>(name: Step, action: () => Promise<T>): Promise<T> {
    if (isDead) throw new Error('killed');
    const isLast = name === fatal && count++ === dieAt;
    const done = isLast && moment === 'before' ? undefined : await action();
    if (isLast) {
      isDead = true;
      die('died');
    }
    if (isDead || done === undefined) throw new Error('killed');
    return done;
  }

  const { drizzle } = harness.database;
  const db = new Proxy(drizzle, {
    get: (target, name) =>
      name === 'execute'
        ? (...given: Parameters<typeof drizzle.execute>) =>
            step('statement', async () => target.execute(...given))
        : Reflect.get(target, name),
  });
  const consumer = harness.consumer({
    store: createEventsStore(db),
    objects: {
      put: async (key, bytes) =>
        void (await step('put', async () => harness.objects.put(key, bytes).then(() => true))),
      get: (key) => harness.objects.get(key),
      list: (prefix) => harness.objects.list(prefix),
      delete: (key) => harness.objects.delete(key),
    },
    log: {
      consume: (options) =>
        harness.log.consume({
          ...options,
          handle: (batch) =>
            options.handle({
              ...batch,
              commit: async (offset) =>
                void (await step('commit', async () => batch.commit(offset).then(() => true))),
              deadLetter: async (record: Parameters<RecordBatch['deadLetter']>[0], reason: string) =>
                void (await step('dead letter', async () =>
                  batch.deadLetter(record, reason).then(() => true),
                )),
            }),
        }),
    },
  });
  return { consumer, died };
}

describe.each([
  // The step after a statement is usually the next statement, and the test also kills the process before that one.
  ['PostgreSQL and a folder', onPostgresAndFolder, { before: 1, after: 5 }],
  ['Kafka and S3', onKafkaAndS3, { before: 5, after: 10 }],
] as const)('the event consumer, killed on %s', async (_, start, strides) => {
  const harness = await start();
  afterAll(() => harness?.stop());

  const cases = steps.flatMap((fatal) => [[fatal, 'before'] as const, [fatal, 'after'] as const]);
  describe.skipIf(harness === undefined).each(cases)('a crash at a %s, %s its effect', (fatal, moment) => {
    it('archives every event exactly once after a restart', async () => {
      if (harness === undefined) return;
      for (let dieAt = 0; ; dieAt += fatal === 'statement' ? strides[moment] : 1) {
        const ids = await publishSome(harness);
        const { consumer, died } = mortalConsumer(harness, fatal, dieAt, moment);
        consumer.start();
        const end = await Promise.race([died, harness.allCommitted().then(() => 'lived')]);
        await consumer.stop();

        // With smaller batches and files, it would end its segments elsewhere if it could.
        const next = harness.consumer({
          settings: { ...quick, fileBytes: 1 },
          log: { consume: (options) => harness.log.consume({ ...options, maxBatchBytes: 1 }) },
        });
        next.start();
        await harness.allCommitted();
        await next.stop();
        for (const [project, expected] of ids) {
          expect(eventIds(await harness.rows(project)).sort(), `step ${dieAt}`).toEqual(expected);
        }
        if (dieAt === 0) expect(end).toBe('died');
        if (end === 'lived') break;
      }
    }, 240_000);
  });
});

/** Publishes events of two projects with duplicates and an invalid line. Returns the ids by project. */
async function publishSome(harness: EventsHarness): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (const project of [newProject(), newProject()]) {
    const events = Array.from({ length: 6 }, () => sent());
    const again = events.slice(0, 2);
    ids.set(project, events.map((one) => one.event_id).sort());
    await harness.publish(project, events);
    await harness.publish(project, [...again, ...again.map((one) => ({ ...one, distinct_id: 'elsewhere' }))]);
    const headers = { project, received_at: new Date().toISOString() };
    await harness.log.publish('events', [{ partition: 0, key: project, value: Buffer.from('{'), headers }]);
  }
  return ids;
}
