import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { startKafka, startS3 } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkOf, cut, newSession, recordedEvents } from '../testing/recording.ts';
import { type ArchiveHarness, startArchive } from '../testing/service.ts';

const kafka = await startKafka();
const s3 = await startS3();
afterAll(async () => {
  await kafka?.stop();
  await s3?.stop();
});

const backings = [
  { name: 'the embedded log and a folder', missing: false },
  { name: 'Kafka and S3', missing: kafka === undefined || s3 === undefined },
];

describe.each(backings)('a real recording, on $name', ({ name, missing }) => {
  describe.skipIf(missing)('', () => {
    let archive: ArchiveHarness;
    beforeAll(async () => {
      const isReal = name === 'Kafka and S3' && kafka && s3;
      archive = await startArchive(isReal ? { kafkaBrokers: kafka.brokers, s3 } : {});
    });
    afterAll(() => archive?.stop());

    it('lists the gap and plays in order when a recording is sent out of order, with copies and a gap', async () => {
      const recorded = await recordedEvents();
      expect(recorded).toHaveLength(272);
      // Larger than a record: its chunk is published in parts.
      const large = { type: 5, data: { payload: randomBytes(2_000_000).toString('base64') } };
      const chunks = cut(recorded, 9).map((events, index) =>
        index === 4 ? [...events, { ...large, timestamp: events.at(-1)?.['timestamp'] }] : events,
      );
      const session = newSession();
      const missing = 6;
      const order = [3, 0, 8, 4, 1, 7, 2, 5];
      for (const seq of order) await archive.send(chunkOf(session, seq, chunks[seq] ?? []));
      for (const seq of [4, 0]) await archive.send(chunkOf(session, seq, chunks[seq] ?? []));

      const sent = order.map((seq) => chunks[seq] ?? []);
      const first = recorded[0]?.['timestamp'];
      const last = recorded.at(-1)?.['timestamp'];
      const partial = await archive.until(session, { chunks: 8, duplicates: 2 });
      expect(partial).toMatchObject({
        distinctIds: ['ada'],
        firstAt: new Date(Number(first)).toISOString(),
        lastAt: new Date(Number(last)).toISOString(),
        events: sent.flat().length,
        masked: true,
        missing: 1,
        conflicts: 0,
        complete: false,
        seqs: [
          { from: 0, to: 5 },
          { from: 7, to: 8 },
        ],
        gaps: [{ from: 6, to: 6 }],
      });
      expect(await archive.events(session)).toEqual(chunks.filter((_, seq) => seq !== missing).flat());

      await archive.send(chunkOf(session, missing, chunks[missing] ?? []));
      const whole = await archive.until(session, { chunks: 9 });
      expect(whole).toMatchObject({ missing: 0, complete: true, gaps: [], seqs: [{ from: 0, to: 8 }] });
      expect(await archive.events(session)).toEqual(chunks.flat());
    });

    it('stores one object per chunk, gzip of the JSON that was published', async () => {
      const session = newSession();
      const chunk = chunkOf(session, 7, [{ timestamp: 1 }], { sdk: null });
      await archive.send(chunk);
      const { bytes, storedBytes } = await archive.until(session, { chunks: 1 });
      const keys: string[] = [];
      for await (const { key } of archive.objects.list(`replays/project-1/${session}/`)) keys.push(key);
      expect(keys).toEqual([expect.stringMatching(/\/0000000000000007-[0-9a-f]{32}$/)]);
      const object = await archive.objects.get(keys[0] ?? '');
      const packed = object && (await buffer(object.body));
      expect(packed?.length).toBe(storedBytes);
      const json = gunzipSync(packed ?? Buffer.alloc(0));
      expect(json.length).toBe(bytes);
      expect(JSON.parse(json.toString())).toEqual({ project_id: 'project-1', ...chunk });
    });
  });
});
