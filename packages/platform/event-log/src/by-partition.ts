/** Stores values by topic and partition. Two look-ups are cheaper than building a combined key on every publish. */
export function byPartition<T>(
  make: (topic: string, partition: number) => T,
): (topic: string, partition: number) => T {
  const topics = new Map<string, Map<number, T>>();

  return (topic, partition) => {
    let partitions = topics.get(topic);
    if (partitions === undefined) {
      partitions = new Map();
      topics.set(topic, partitions);
    }
    let value = partitions.get(partition);
    if (value === undefined) {
      value = make(topic, partition);
      partitions.set(partition, value);
    }
    return value;
  };
}
