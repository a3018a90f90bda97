/**
 * The partitions of a topic that one Kafka topic holds. A repartitioned topic has several ranges. The last one
 * receives new records, and each group reads the earlier ones to their ends first. Partitions are numbered across
 * ranges, so a partition and an offset always name the same record.
 */
export interface Range {
  topic: string;
  kafkaTopic: string;
  /** The number of the first partition. */
  first: number;
}

const FROM = '.from-';

/** Returns the range that holds the partitions of a topic from `first` on. */
export function rangeOf(topic: string, first: number): Range {
  return { topic, kafkaTopic: first === 0 ? topic : `${topic}${FROM}${first}`, first };
}

/** Returns the ranges of a topic, in order, among the names of Kafka topics. */
export function rangesIn(names: readonly string[], topic: string): Range[] {
  const later = names.flatMap((name) => {
    const first = name.startsWith(`${topic}${FROM}`) ? name.slice(topic.length + FROM.length) : '';
    return /^[1-9]\d{0,6}$/.test(first) ? [Number(first)] : [];
  });
  const firsts = names.includes(topic) ? [0, ...later] : later;
  return firsts.sort((a, b) => a - b).map((first) => rangeOf(topic, first));
}
