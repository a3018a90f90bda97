import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OutgoingRecord } from '../../types.ts';
import { codecFor } from '../codecs.ts';
import { encodeBatch } from './record-batch.ts';

/** The decoder of kafkajs, which readers use. */
const require = createRequire(import.meta.url);
const Decoder = require('kafkajs/src/protocol/decoder');
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder');
const crcOf: (bytes: Buffer) => number = require('kafkajs/src/protocol/recordBatch/crc32C');

const text = fc.oneof(fc.string({ maxLength: 70 }), fc.string({ unit: 'grapheme', maxLength: 70 }));
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((value) => Buffer.from(value)),
  // Includes records with a length that takes one byte more or less than estimated.
  fc
    .oneof(fc.nat({ max: 50_000 }), fc.integer({ min: 7_800, max: 8_300 }))
    .map((size) => Buffer.alloc(size, 'some text ')),
);
const record: fc.Arbitrary<OutgoingRecord> = fc.record({
  partition: fc.constant(0),
  key: fc.option(text),
  value: fc.option(bytes),
  headers: fc.dictionary(
    text.map((name) => `h${name}`),
    text,
    { maxKeys: 5, noNullPrototype: true },
  ),
});

it.each(['none', 'gzip', 'zstd'] as const)('reads a batch as it was written, with %s', async (name) => {
  const compression = codecFor(name);
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 20 }),
      fc.nat(),
      async (records, firstSequence) => {
        const before = Date.now();
        const batch = await encodeBatch({
          records,
          compression,
          firstSequence,
          producerId: '9007199254740993',
          producerEpoch: 7,
        });
        expect(batch.readInt32BE(8)).toBe(batch.length - 12);
        expect(batch.readUInt32BE(17)).toBe(crcOf(batch.subarray(21)));
        expect(batch.readBigInt64BE(43)).toBe(9_007_199_254_740_993n);
        expect([batch.readInt16BE(51), batch.readInt32BE(53)]).toEqual([7, firstSequence]);
        const read = await decodeBatch(new Decoder(batch));
        expect(read.lastOffsetDelta).toBe(records.length - 1);
        expect(Number(read.firstTimestamp)).toBeGreaterThan(before - 1);
        expect(read.maxTimestamp).toEqual(read.firstTimestamp);
        for (const [i, { key, value, headers, offset }] of read.records.entries()) {
          expect(offset).toBe(String(i));
          expect(key === null ? null : String(key)).toBe(asStored(records[i]?.key ?? null));
          expect(value).toEqual(records[i]?.value);
          expect(Object.entries(headers).map(([one, of]) => [one, String(of)])).toEqual(
            Object.entries(records[i]?.headers ?? {}).map((one) => one.map(asStored)),
          );
        }
        expect(read.records).toHaveLength(records.length);
      },
    ),
    { numRuns: 50 },
  );
});

it('keeps batches apart that are compressed at the same time', async () => {
  const compression = codecFor('zstd');
  const sizes = [400_000, 20_000, 900_000, 2_000_000, 130_000, 132_000, 20_000, 700_000, 300_000, 500_000];
  const encode = async (size: number, index: number) => {
    const value = Buffer.alloc(size, `${index} some text `);
    const records = [{ partition: 0, key: null, value, headers: {} }];
    const numbers = { producerId: '1', producerEpoch: 0, firstSequence: 0 };
    const read = await decodeBatch(new Decoder(await encodeBatch({ records, compression, ...numbers })));
    expect(value.equals(read.records[0].value)).toBe(true);
  };
  await Promise.all([...sizes, ...sizes].map(encode));
});

/** Replaces unpaired surrogates, which UTF-8 cannot encode. */
function asStored<T extends string | null>(value: T): T | string {
  return value === null ? value : value.toWellFormed();
}
