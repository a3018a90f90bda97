import { buffer } from 'node:stream/consumers';
import { isKafkaInstalled } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogKind } from './backings.ts';
import { readArchive } from './checks/archive-reader.ts';
import { checkEvents } from './checks/events.ts';
import { type LogReader, readLog } from './checks/log-reader.ts';
import { type Deployment, deploy } from './deployment.ts';
import { createDisrupter, type Disrupter } from './disrupt.ts';
import type { Request } from './ledger.ts';
import { createRandom } from './random.ts';
import { runRound } from './round.ts';

/** The short form of `bench crash`: a round on each log, and a test that the checks detect a changed archive. */

describe.each<[string, LogKind, 1 | 3]>([
  ['three brokers', 'kafka', 3],
  ['the embedded log', 'postgres', 1],
])('random disruptions on %s', (_, log, brokers) => {
  describe.skipIf(log === 'kafka' && !isKafkaInstalled())('a deployment with its own processes', () => {
    const base = Date.now();
    const seed = Math.floor(Math.random() * 2 ** 31);
    const ledger: Request[] = [];
    let deployment: Deployment;
    let disrupter: Disrupter;
    let reader: LogReader;
    beforeAll(async () => {
      deployment = await deploy({ log, brokers, awaySeconds: 3, objects: 'folder', consumers: 1 });
      disrupter = createDisrupter(deployment.targets);
      reader = await readLog(deployment.log);
    });
    afterAll(async () => {
      await reader?.stop();
      await deployment?.stop({ keepLogs: false });
    });

    it('loses no accepted data and duplicates none', async () => {
      const random = createRandom(seed);
      const round = {
        deployment,
        disrupter,
        reader,
        random,
        base,
        seconds: 6,
        clients: 4,
        lateKills: 0,
        ledger,
        onDisrupted: () => undefined,
      };
      const { faults, disrupted, events, state, webhooks } = await runRound(round, 1);
      expect(faults, `with seed ${seed}`).toEqual([]);
      expect(disrupted).not.toEqual([]);
      expect(events.accepted).toBeGreaterThan(0);
      expect(state.accepted).toBeGreaterThan(0);
      expect(webhooks.sent).toBeGreaterThan(0);
    }, 240_000);

    it('finds a file that is missing from the archive, and one that is stored twice', async () => {
      const check = async () =>
        checkEvents(
          ledger,
          (await readArchive(deployment.objects, deployment.databaseUrl('archive'))).events,
          base,
        ).faults;
      const { events } = await readArchive(deployment.objects, deployment.databaseUrl('archive'));
      const files = Map.groupBy(events, ({ place }) => place.split(',')[0] ?? '');
      // In some files, no event got a response, so the checks do not miss them.
      const isMissed = (file: string) =>
        checkEvents(
          ledger,
          events.filter(({ place }) => !place.startsWith(`${file},`)),
          base,
        ).faults.length > 0;
      const key = [...files.keys()].find(isMissed) ?? '';
      const object = await deployment.objects.get(key);
      if (object === undefined) throw new Error(`object ${key} not found`);
      const bytes = await buffer(object.body);

      await deployment.objects.delete(key);
      expect((await check()).join()).toMatch(/: lost, /);
      await deployment.objects.put(key, bytes);
      expect(await check()).toEqual([]);
      await deployment.objects.put(key.replace('.parquet', '-again.parquet'), bytes);
      expect((await check()).join()).toMatch(/: duplicate, /);
    });
  });
});
