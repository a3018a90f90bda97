import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTAINERS, IS_CLUSTER, inside, kill, replace, takeOver } from './engine.ts';
import { underLoad } from './under-load.ts';

const BROKERS = ['kafka', 'kafka-2', 'kafka-3'];
const TOPICS = ['java', '-cp', '/opt/kafka/libs/*', 'org.apache.kafka.tools.TopicCommand'];

/** Returns the partitions that lack a replica. Uses Kafka's own tool, which the Kafka image contains. */
async function behind(): Promise<string[]> {
  const asked = ['--bootstrap-server', BROKERS.map((name) => `${name}:9092`).join(), '--describe'];
  const { code, output } = await inside('kafka', ...TOPICS, ...asked, '--under-replicated-partitions');
  if (code !== 0) throw new Error(output);
  return output.split('\n').filter((line) => line.includes('Partition:'));
}

describe.skipIf(!IS_CLUSTER)('docker-compose.yml with cluster.yml, under load', () => {
  let load: Awaited<ReturnType<typeof underLoad>>;
  beforeAll(async () => {
    load = await underLoad('cluster');
  });

  it.each(CONTAINERS)(
    'answers every request while both containers of %s are replaced in turn',
    async (service) => {
      const { requests, failures } = await load.during(async () => {
        await replace(service);
        await replace(`${service}-2`);
      });
      process.stdout.write(`${service} rolled: ${failures.length} of ${requests} requests failed\n`);
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(50);
    },
    180_000,
  );

  it.each(BROKERS)(
    'answers every request while the broker %s is replaced',
    async (broker) => {
      const { requests, failures } = await load.during(async () => {
        await replace(broker);
        await eventually(async () => expect(await behind()).toEqual([]), { withinMs: 120_000 });
      });
      process.stdout.write(`${broker} replaced: ${failures.length} of ${requests} requests failed\n`);
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(50);
    },
    240_000,
  );

  const PROMOTIONS: [string, string[]][] = [
    ['redis', ['redis-cli', 'replicaof', 'no', 'one']],
    ['postgres', ['psql', '--username=postgres', '--command', 'select pg_promote()']],
  ];
  it.each(PROMOTIONS)(
    'answers again after %s was killed and its replica took over',
    async (name, promote) => {
      const { requests, failures } = await load.during(async () => {
        await kill(name);
        await takeOver(name, `${name}-2`, ...promote);
        await load.untilAllSucceed();
      });
      process.stdout.write(`${name} taken over: ${failures.length} of ${requests} requests failed\n`);
    },
    300_000,
  );

  it('stores everything that it accepted, once', async () => {
    const { accepted, ...problems } = await load.finish();
    for (const [what, found] of Object.entries(problems)) expect([what, found]).toEqual([what, []]);
    expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
  }, 300_000);
});
