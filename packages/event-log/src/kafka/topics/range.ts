/**
 * The partitions of a topic that one Kafka topic holds. A topic that was repartitioned has several: the last takes
 * what is published, and each group reads the others to their ends before it. Partitions are numbered across them, so
 * a partition and an offset name one record for ever.
 */
export interface Range {
  topic: string;
  kafkaTopic: string;
  /** The number of its first partition. */
  first: number;
}

const FROM = '.from-';

/** The Kafka topic that holds the partitions of a topic from this one on. */
export function rangeOf(topic: string, first: number): Range {
  return { topic, kafkaTopic: first === 0 ? topic : `${topic}${FROM}${first}`, first };
}

/** The ranges of a topic among the names of Kafka topics, in order. */
export function rangesIn(names: readonly string[], topic: string): Range[] {
  const later = names.flatMap((name) => {
    const first = name.startsWith(`${topic}${FROM}`) ? name.slice(topic.length + FROM.length) : '';
    return /^[1-9]\d{0,6}$/.test(first) ? [Number(first)] : [];
  });
  const firsts = names.includes(topic) ? [0, ...later] : later;
  return firsts.sort((a, b) => a - b).map((first) => rangeOf(topic, first));
}
