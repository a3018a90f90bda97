import { PartitionLost } from '@switchboard/event-log';
import { expect, it } from 'vitest';
import { decodeRecord } from './decode.ts';
import { createEventPartition, type EventPartition } from './partition.ts';
import type { Segment } from './store.ts';

it('counts no bytes as held after a partition is dropped during a commit', async () => {
  // The bytes held by the other partitions of the process.
  const held = { bytes: 1_000 };
  let segment: Segment | undefined;
  const partition: EventPartition = createEventPartition({
    partition: 0,
    deduplicate: async (_, records) =>
      records.map((record) => ({
        ...record,
        ...decodeRecord(record),
        without: [],
        bytes: 10,
        count: 0,
        duplicates: 0,
      })),
    store: {
      findSegment: async () => segment,
      segmentsWithin: async () => [],
      beginSegment: async (begun) => (segment = { ...begun, isStored: false }),
      markStored: async () => undefined,
    },
    objects: {
      put: async () => undefined,
      get: async () => undefined,
      list: async function* () {},
      delete: async () => undefined,
    },
    threads: { use: async (work) => work({ encode: async () => [] } as never) },
    settings: { fileBytes: 1, fileAgeMs: 60_000, bufferBytes: 1_000_000 },
    held,
    logger: { info: () => undefined, error: () => undefined, failed: () => undefined } as never,
    onStored: () => undefined,
  });
  let commits = 0;
  const record = { topic: 'events', partition: 0, offset: 0n, timestamp: 1, key: null, headers: {} };
  await partition.add({
    topic: 'events',
    partition: 0,
    records: [{ ...record, value: Buffer.from('{}') }],
    nextOffset: 1n,
    signal: new AbortController().signal,
    async commit() {
      commits += 1;
      partition.drop();
    },
    deadLetter: async () => {
      throw new PartitionLost('not expected');
    },
  });
  expect([commits, held.bytes]).toEqual([1, 1_000]);
});
