import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type EventsHarness,
  eventIds,
  newProject,
  onFailingServers,
  quick,
  sent,
} from '../testing/events-harness.ts';

const servers = await onFailingServers();
afterAll(() => servers?.harness.stop());

/** Publishes until stopped. Like clients, it retries records that the log did not acknowledge. */
function traffic(harness: EventsHarness, projectId: string) {
  const ids: string[] = [];
  let going = true;
  const done = (async () => {
    while (going) {
      const events = Array.from({ length: 5 }, () => sent());
      ids.push(...events.map((one) => one.event_id));
      const isStored = () =>
        harness.publish(projectId, events).then(
          () => true,
          () => false,
        );
      while (!(await isStored())) await sleep(100);
      await sleep(20);
    }
  })();
  return {
    ids,
    async stop() {
      going = false;
      await done;
    },
  };
}

type Servers = NonNullable<typeof servers>;
const faults: [string, (servers: Servers) => unknown, (servers: Servers) => unknown][] = [
  ['S3 hangs', ({ s3 }) => s3.pause(), ({ s3 }) => s3.resume()],
  ['S3 is killed', ({ s3 }) => s3.kill(), ({ s3 }) => s3.restart()],
  ['PostgreSQL hangs', ({ postgres }) => postgres.freeze(), ({ postgres }) => postgres.thaw()],
  ['PostgreSQL is killed', ({ postgres }) => postgres.kill(), () => undefined],
  ['Kafka hangs', ({ kafka }) => kafka.pause(), ({ kafka }) => kafka.resume()],
  ['Kafka is killed', ({ kafka }) => kafka.kill(), ({ kafka }) => kafka.restart()],
];

describe.skipIf(servers === undefined)('faults while events arrive', () => {
  it.each(faults)(
    'archives every event once, without restarting the consumers, when %s and recovers',
    async (...given) => {
      const [, begin, end] = given;
      if (servers === undefined) return;
      const { harness } = servers;
      // Small files, so that several are always in progress, and two members of the group.
      const settings = { ...quick, fileBytes: 20_000, bufferBytes: 30_000 };
      const consumers = [harness.consumer({ settings }), harness.consumer({ settings })];
      for (const consumer of consumers) consumer.start();
      const projectId = newProject();
      const clients = traffic(harness, projectId);
      await sleep(1000);
      await begin(servers);
      await sleep(6000);
      await end(servers);
      await sleep(1000);
      await clients.stop();
      await harness.allCommitted();
      expect(eventIds(await harness.rows(projectId)).sort()).toEqual(clients.ids.sort());
      await Promise.all(consumers.map((consumer) => consumer.stop()));
    },
    150_000,
  );
});
