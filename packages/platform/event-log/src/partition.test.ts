import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { murmur2, partitionFor } from './partition.ts';

describe('the partition of a key', () => {
  // Source: Apache Kafka, clients/src/test/java/org/apache/kafka/common/utils/UtilsTest.java, testMurmur2.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('hashes the key %s as Kafka does', (key, hash) => {
    expect(murmur2(Buffer.from(key)) | 0).toBe(hash);
  });

  it('equals the partition of the default partitioner of kafkajs for every key', () => {
    const partitioner = Partitioners.DefaultPartitioner();
    const key = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: 'binary-ascii', maxLength: 120 }),
      fc.string({ minLength: 600, maxLength: 900 }),
    );
    fc.assert(
      fc.property(key, fc.integer({ min: 1, max: 64 }), (text, partitions) => {
        const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
          partitionId,
          leader: 1,
          partitionErrorCode: 0,
          replicas: [],
          isr: [],
        }));
        const expected = partitioner({ topic: 't', partitionMetadata, message: { key: text, value: null } });
        // kafkajs assigns a record without a key to any partition.
        if (text !== '') expect(partitionFor(text, partitions)).toBe(expected);
      }),
    );
  });
});
