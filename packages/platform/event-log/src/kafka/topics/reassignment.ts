import type { PartitionMetadata } from 'kafkajs';

/** The input of `kafka-reassign-partitions.sh`. */
interface Reassignment {
  version: 1;
  partitions: { topic: string; partition: number; replicas: number[] }[];
}

/** Adds replicas to the partitions of a topic, each on the broker with the fewest of them. Leaders stay. */
export function reassignmentOf(
  topic: string,
  partitions: readonly Pick<PartitionMetadata, 'partitionId' | 'leader' | 'replicas'>[],
  brokers: readonly number[],
  copies: number,
): Reassignment {
  const held = new Map(brokers.map((broker) => [broker, 0]));
  const count = (broker: number) => held.set(broker, (held.get(broker) ?? 0) + 1);
  for (const broker of partitions.flatMap(({ replicas }) => replicas)) count(broker);
  const sorted = partitions.toSorted((a, b) => a.partitionId - b.partitionId);
  return {
    version: 1,
    partitions: sorted.map(({ partitionId: partition, leader, replicas: found }) => {
      const replicas = found.toSorted((a, b) => Number(b === leader) - Number(a === leader));
      while (replicas.length < copies) {
        const free = brokers.filter((broker) => !replicas.includes(broker));
        const [next] = free.toSorted((a, b) => (held.get(a) ?? 0) - (held.get(b) ?? 0) || a - b);
        if (next === undefined) break;
        replicas.push(next);
        count(next);
      }
      return { topic, partition, replicas };
    }),
  };
}
