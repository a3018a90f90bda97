import type { ServiceName } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { type EventLog, openKafkaLog, openPostgresLog } from '@switchboard/event-log';
import { eventually, programFile, spawnProgram } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type Call } from '../harness/call.ts';
import { type Deployment, deploy, type EventLogKind } from '../harness/deployment.ts';
import { createProject } from '../harness/project.ts';
import { archivedEvents } from '../upgrade/archived.ts';
import { eventId, type Load, startLoad } from './load.ts';
import { readAlong } from './reader.ts';
import { type SdkClients, startSdkClients } from './sdk-clients.ts';

const PEOPLE_DATABASES = ['flags', 'analytics'] as const;

/** Declares tests that change the partitions of a deployment's topics while clients send events. */
export async function repartitionUnderLoad(eventLog: EventLogKind): Promise<void> {
  const deployment = await deploy({
    region: 'eu',
    eventLog,
    parts: [
      { service: 'catalogue', instances: 1 },
      { service: 'ingestion', instances: 2 },
      { service: 'archive', roles: 'events', instances: 2 },
      { service: 'flags', instances: 1 },
      { service: 'analytics', instances: 1 },
    ],
    env: { TOPIC_PARTITIONS: '4', ARCHIVE_FILE_SECONDS: '1' },
  });
  afterAll(() => deployment?.stop(), 60_000);

  function deployed(): Deployment {
    if (deployment === undefined) throw new Error('no deployment');
    return deployment;
  }

  const instancesOf = (name: ServiceName) => deployed().instances.filter(({ service }) => service === name);

  async function start(...args: string[]) {
    return spawnProgram({
      command: [
        'node',
        await programFile('packages/tools/cli/src/main.ts'),
        'topics',
        'repartition',
        ...args,
      ],
      env: deployed().eventLogSettings,
    });
  }

  async function run(...args: string[]): Promise<{ code: number | null; lines: readonly string[] }> {
    const program = await start(...args);
    return { code: await program.exited, lines: program.lines };
  }

  function openLog(): EventLog {
    const { kafka, postgres } = deployed().backings;
    return eventLog === 'kafka'
      ? openKafkaLog({ brokers: kafka.brokers, clientId: 'e2e' })
      : openPostgresLog({ url: postgres.url('event_log') });
  }

  // Each test continues where the previous one ended.
  describe.skipIf(deployment === undefined)(
    `switchboard topics repartition under load on ${eventLog}`,
    { retry: 0 },
    () => {
      let log: EventLog;
      let call: Call;
      let read: ReadonlyMap<string, number[]>;
      let load: Load;
      let sdks: SdkClients;
      beforeAll(async () => {
        log = openLog();
        const project = await createProject(deployed(), { id: 'shop', region: 'eu' });
        read = await readAlong(log);
        const { gateway, backings } = deployed();
        call = apiClient(gateway, project);
        load = startLoad(call);
        sdks = await startSdkClients({ gateway, key: project.key, folder: backings.folder });
        await load.progress();
      });
      afterAll(async () => {
        await load?.stop();
        await log?.close();
      });

      test('gives two topics more partitions at the same time', async () => {
        const runs = [run('events', '--to', '8'), run('identifies', '--to', '6')];
        const [events, identifies] = await Promise.all(runs);
        expect(events).toMatchObject({ code: 0 });
        expect(events?.lines.at(0)).toContain('publishing to events is paused until this ends');
        expect(events?.lines.at(-1)).toBe('events has 8 partitions now');
        expect(identifies).toMatchObject({ code: 0 });
        expect(identifies?.lines.at(-1)).toBe('identifies has 6 partitions now');
        expect(await run('events', '--to', '8')).toEqual({ code: 0, lines: ['events has 8 partitions'] });
        await load.progress();
      }, 180_000);

      test('gives a topic fewer partitions, though it is killed and services restart', async () => {
        expect(await Promise.all(instancesOf('archive').map((one) => one.stop()))).toEqual([0, 0]);
        const waiting = await start('events', '--to', '2');
        await untilSaid(waiting, 'waiting for the consumers of events: archive.events');
        await waiting.kill();
        // These processes start while the topic is paused.
        const [ingestion] = instancesOf('ingestion');
        expect(await ingestion?.stop()).toBe(0);
        await Promise.all([ingestion, ...instancesOf('archive')].map((one) => one?.restart()));
        if (eventLog === 'kafka') {
          const deleting = await start('events', '--to', '2');
          await untilSaid(deleting, 'every consumer has read events');
          await deleting.kill();
        }
        expect(await run('events', '--to', '2')).toMatchObject({ code: 0 });
        await load.progress();
      }, 240_000);

      test('loses no event, duplicates none and keeps their order', async () => {
        await load.progress();
        await load.stop();
        expect(load.failures).toEqual([]);
        expect(load.refused()).toBeGreaterThan(0);
        const tracked = await sdks.stop();
        expect(tracked.length).toBeGreaterThan(0);

        const people = [...load.accepted.events].map(([person, count]) => ({
          person,
          numbers: Array.from({ length: count }, (_, number) => number),
        }));
        const inOrder = new Map(people.map(({ person, numbers }) => [person, numbers]));
        await eventually(
          () => expect(new Map([...read].filter(([person]) => inOrder.has(person)))).toEqual(inOrder),
          { withinMs: 60_000 },
        );

        expect(await log.endOffsets('events')).toHaveLength(2);
        expect(await log.endOffsets('identifies')).toHaveLength(6);
        await eventually(
          async () => {
            const lags = [
              ...(await log.lag('archive.events', ['events'])),
              ...(await log.lag('flags.user-state', ['identifies', 'groups'])),
              ...(await log.lag('analytics.people', ['identifies', 'groups'])),
            ];
            expect(lags.filter(({ behind }) => behind > 0n)).toEqual([]);
          },
          { withinMs: 60_000 },
        );

        const { backings } = deployed();
        const accepted = [
          ...people.flatMap(({ person, numbers }) => numbers.map((number) => eventId(person, number))),
          ...tracked,
        ];
        const archived = await archivedEvents(
          backings.s3,
          backings.postgres.url('archive'),
          accepted,
          90_000,
        );
        expect(accepted.filter((id) => !archived.has(id))).toEqual([]);
        expect([...archived].filter(([, times]) => times > 1)).toEqual([]);
        expect(archived.size).toBe(accepted.length);
        expect(await sdks.close()).toEqual([]);
        for (const database of PEOPLE_DATABASES) {
          expect(await traitsOf(backings.postgres.url(database)), database).toEqual(load.accepted.identified);
        }
      }, 240_000);

      test('returns state tokens that flags waits for', async () => {
        const body = { distinct_id: 'ada', timestamp: new Date().toISOString(), properties: { plan: 'pro' } };
        const token = (await call('identify', { body })).headers.get('x-state-token') ?? '';
        const flags = await call('evaluateFlags', {
          query: { distinct_id: 'ada' },
          headers: { 'X-State-Token': token },
        });
        expect([flags.status, flags.headers.get('x-state')]).toEqual([200, null]);
      });

      test('names a topic that does not exist', async () => {
        expect(await run('nothing', '--to', '8')).toMatchObject({ code: 2 });
      });
    },
  );
}

async function untilSaid(program: Awaited<ReturnType<typeof spawnProgram>>, text: string): Promise<void> {
  await eventually(() => expect(program.lines.join('\n')).toContain(text), { withinMs: 90_000 });
}

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
