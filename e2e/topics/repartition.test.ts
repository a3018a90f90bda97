import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { type EventLog, openKafkaLog } from '@switchboard/event-log';
import { eventually, spawnProgram } from '@switchboard/testkit';
import { Kafka } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../harness/call.ts';
import { type Deployment, deploy } from '../harness/deployment.ts';
import { createProject } from '../harness/project.ts';
import { REPOSITORY } from '../harness/repository.ts';
import { archivedEvents } from '../upgrade/archived.ts';
import { eventId, type Load, startLoad } from './load.ts';
import { readAlong } from './reader.ts';

const COMMAND = join(REPOSITORY, 'packages/tools/cli/src/main.ts');

const deployment = await deploy({
  region: 'eu',
  parts: [
    { service: 'catalogue', instances: 1 },
    { service: 'ingestion', instances: 2 },
    { service: 'archive', roles: 'events', instances: 2 },
    { service: 'flags', instances: 1 },
  ],
  env: { TOPIC_PARTITIONS: '4', ARCHIVE_FILE_SECONDS: '1' },
});
afterAll(() => deployment?.stop(), 60_000);

function deployed(): Deployment {
  if (deployment === undefined) throw new Error('no deployment');
  return deployment;
}

const instancesOf = (name: ServiceName) => deployed().instances.filter(({ service }) => service === name);

function start(...args: string[]) {
  return spawnProgram({
    command: ['node', COMMAND, 'topics', 'repartition', ...args],
    env: { KAFKA_BROKERS: deployed().backings.kafka.brokers.join(',') },
  });
}

async function run(...args: string[]): Promise<{ code: number | null; lines: readonly string[] }> {
  const program = await start(...args);
  return { code: await program.exited, lines: program.lines };
}

// Each test continues where the previous one ended.
describe.skipIf(deployment === undefined)('switchboard topics repartition under load', { retry: 0 }, () => {
  let log: EventLog;
  let read: ReadonlyMap<string, number[]>;
  let load: Load;
  beforeAll(async () => {
    log = openKafkaLog({ brokers: deployed().backings.kafka.brokers, clientId: 'e2e' });
    const project = await createProject(deployed(), { id: 'shop', region: 'eu' });
    read = await readAlong(log);
    load = startLoad(apiClient(deployed().gateway, project));
    await load.progress();
  });
  afterAll(async () => {
    await load?.stop();
    await log?.close();
  });

  test('gives two topics more partitions at the same time', async () => {
    const [events, identifies] = await Promise.all([
      run('events', '--to', '8'),
      run('identifies', '--to', '6'),
    ]);
    expect(events).toEqual({
      code: 0,
      lines: [
        'events.from-4 has 8 partitions',
        'events takes no more records',
        'events.from-4 takes the records from now on',
        'events has 8 partitions now',
      ],
    });
    expect(identifies).toMatchObject({ code: 0 });
    expect(identifies.lines.at(-1)).toBe('identifies has 6 partitions now');
    expect(await run('events', '--to', '8')).toEqual({ code: 0, lines: ['events has 8 partitions'] });
    await load.progress();
  });

  test('gives a topic fewer partitions, though it is killed twice and no archive runs', async () => {
    expect(await Promise.all(instancesOf('archive').map((one) => one.stop()))).toEqual([0, 0]);
    await load.progress();
    for (const step of ['events.from-12 has 2 partitions', 'events.from-4 takes no more records']) {
      const program = await start('events', '--to', '2');
      while (!program.lines.includes(step) && program.isRunning) await sleep(1);
      await program.kill();
    }
    expect(await run('events', '--to', '2')).toMatchObject({ code: 0 });
    await load.progress();
  });

  test('keeps the new partitions when processes restart', async () => {
    const [ingestion] = instancesOf('ingestion');
    expect(await ingestion?.stop()).toBe(0);
    await Promise.all([ingestion, ...instancesOf('archive')].map((one) => one?.restart()));
    await load.progress();
  });

  test('loses no event, duplicates none and keeps their order', async () => {
    const { backings } = deployed();
    const old = (await log.endOffsets('events')).slice(0, 12);
    await load.progress();
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.refused()).toBeGreaterThan(0);

    const people = [...load.accepted.events].map(([person, count]) => ({
      person,
      numbers: Array.from({ length: count }, (_, number) => number),
    }));
    const inOrder = new Map(people.map(({ person, numbers }) => [person, numbers]));
    await eventually(() => expect(read).toEqual(inOrder), { withinMs: 60_000 });

    expect(await log.placement('events')).toEqual({ first: 12, count: 2 });
    expect(await log.placement('identifies')).toEqual({ first: 4, count: 6 });
    const ends = await log.endOffsets('events');
    expect(ends).toHaveLength(4 + 8 + 2);
    expect(ends.slice(0, 12)).toEqual(old);
    expect(Math.min(...ends.map(Number))).toBeGreaterThan(0);
    await eventually(
      async () => {
        const lags = [
          ...(await log.lag('archive.events', ['events'])),
          ...(await log.lag('flags.user-state', ['identifies', 'groups'])),
        ];
        expect(lags.filter(({ behind }) => behind > 0n)).toEqual([]);
      },
      { withinMs: 60_000 },
    );

    const accepted = people.flatMap(({ person, numbers }) =>
      numbers.map((number) => eventId(person, number)),
    );
    const archived = await archivedEvents(backings.s3, backings.postgres.url('archive'), accepted);
    expect(archived).toEqual(new Map(accepted.map((id) => [id, 1])));
    expect(await traitsOf(backings.postgres.url('flags'))).toEqual(load.accepted.identified);
  }, 120_000);

  test('names a topic that does not exist', async () => {
    const admin = new Kafka({
      brokers: deployed().backings.kafka.brokers,
      logCreator: () => () => {},
    }).admin();
    await admin.connect();
    await admin.deleteTopics({ topics: ['replays'] });
    await admin.disconnect();
    const lines = ['switchboard: there is no topic replays: ingestion creates it when it starts'];
    expect(await run('replays', '--to', '8')).toEqual({ code: 1, lines });
  });
});

/** Returns the trait `number` of each person. */
async function traitsOf(url: string): Promise<Map<string, number>> {
  const database = openDatabase({ url, applicationName: 'test' });
  try {
    const people = await database.sql<{ id: string; number: number }[]>`
      select distinct_id as id, (traits ->> 'number')::int as number from people`;
    return new Map(people.map(({ id, number }) => [id, number]));
  } finally {
    await database.close();
  }
}
