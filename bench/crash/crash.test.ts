import { buffer } from 'node:stream/consumers';
import { startKafka } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArchive } from './archive-reader.ts';
import type { LogKind } from './backings.ts';
import type { Request } from './books.ts';
import { checkEvents } from './check-events.ts';
import { type LogReader, readLog } from './log-reader.ts';
import { createRandom } from './random.ts';
import { playRound } from './round.ts';
import { type Setting, setUp } from './setting.ts';

/** The short form of `bench crash`: a round on each log, and what the check says when the archive is tampered with. */

const kafka = await startKafka();

describe.each<[string, LogKind]>([
  ['Kafka', 'kafka'],
  ['the embedded log', 'postgres'],
])('kills at random, on %s', (_, log) => {
  describe.skipIf(log === 'kafka' && kafka === undefined)('with processes of their own', () => {
    const base = Date.now();
    const seed = Math.floor(Math.random() * 2 ** 31);
    const books: Request[] = [];
    let setting: Setting;
    let reader: LogReader;
    beforeAll(async () => {
      setting = await setUp({ log, objects: 'folder', consumers: 1, ...(kafka ? { kafka } : {}) });
      reader = await readLog(setting.log);
    }, 90_000);
    afterAll(async () => {
      await reader?.stop();
      await setting?.stop({ keepLogs: false });
    });

    it('lose nothing that was accepted and double nothing', async () => {
      const random = createRandom(seed);
      const round = {
        setting,
        reader,
        random,
        base,
        seconds: 6,
        clients: 4,
        lateKills: 0,
        books,
        onKill: () => undefined,
      };
      const { faults, kills, events, state } = await playRound(round, 1);
      expect(faults, `with seed ${seed}`).toEqual([]);
      expect(kills.length).toBeGreaterThan(2);
      expect(events.accepted).toBeGreaterThan(0);
      expect(state.accepted).toBeGreaterThan(0);
    }, 240_000);

    it('would be seen to lose a file of the archive, and to store one twice', async () => {
      const check = async () => checkEvents(books, (await readArchive(setting.objects)).events, base).faults;
      const [key = ''] = (await readArchive(setting.objects)).events.map(({ place }) => place.split(',')[0]);
      const object = await setting.objects.get(key);
      if (object === undefined) throw new Error(`${key} is not there`);
      const bytes = await buffer(object.body);

      await setting.objects.delete(key);
      expect((await check()).join()).toMatch(/: lost, /);
      await setting.objects.put(key, bytes);
      expect(await check()).toEqual([]);
      await setting.objects.put(key.replace('.parquet', '-again.parquet'), bytes);
      expect((await check()).join()).toMatch(/: doubled, /);
    });
  });
});
