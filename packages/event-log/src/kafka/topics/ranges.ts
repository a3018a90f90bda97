import { pause } from '@switchboard/resilience';
import type { Admin } from 'kafkajs';
import { UnknownTopic } from '../../errors.ts';
import type { KafkaAdmin } from '../admin.ts';
import { begunOf, type Committed, readOffsets } from '../offsets.ts';
import { type Range, rangeOf, rangesIn } from './range.ts';

/** The ranges of topics, as of a moment ago. */
export interface Ranges {
  /** Throws UnknownTopic. */
  of(topic: string, maxAgeMs?: number): Promise<Range[]>;
  /** Where to publish: the last range, unless nothing was published to it and none before is known to be closed. */
  toPublish(topic: string): Promise<Range>;
  /** A range of the topic refused a record. */
  moved(topic: string): void;
  /** Where a group is: the first range that it has not read to its end, or the last. */
  toRead(group: string, topic: string): Promise<Range>;
}

const MAX_AGE_MS = 2_500;

/** Longer than a broker waits for its replicas: what it stored before has an answer, and counts for the end if it was stored. */
const ANSWERED_MS = 2_000;

export function createRanges(admin: KafkaAdmin): Ranges {
  const moved = new Set<string>();
  /** When a range was first known to get no more records, by its Kafka topic. */
  const overSince = new Map<string, number>();
  let known: { at: number; names: Promise<string[]> } | undefined;

  /** Lists topics, because kafkajs retries metadata of an unknown topic until the time-out. */
  async function names(maxAgeMs: number): Promise<string[]> {
    if (known === undefined || performance.now() - known.at > maxAgeMs) {
      const listing = admin.use('listing topics', (a) => a.listTopics());
      known = { at: performance.now(), names: listing };
      listing.catch(() => (known = undefined));
    }
    return known.names;
  }

  async function of(topic: string, maxAgeMs = MAX_AGE_MS): Promise<Range[]> {
    let found = rangesIn(await names(maxAgeMs), topic);
    if (found.length === 0) found = rangesIn(await names(0), topic);
    if (found.length === 0) throw new UnknownTopic(`there is no topic ${topic}`);
    return found;
  }

  const use = <T>(work: (admin: Admin) => Promise<T>) => admin.use('reading offsets', work);
  const isUsed = ({ kafkaTopic }: Range) =>
    use(async (a) => (await readOffsets(a, kafkaTopic)).some(({ high }) => high > 0n));

  /** `isLeft`: the group has begun a later one, so what it committed of this one may be forgotten. */
  async function isReadToEnd({ kafkaTopic }: Range, committed: Committed, isLeft: boolean): Promise<boolean> {
    const offsets = committed.find(({ topic }) => topic === kafkaTopic)?.partitions ?? [];
    return use(async (a) =>
      (await readOffsets(a, kafkaTopic)).every(({ partition, low, high }) => {
        const offset = BigInt(offsets.find((one) => one.partition === partition)?.offset ?? -1);
        return high === low || offset >= high || (isLeft && offset < 0n);
      }),
    );
  }

  return {
    of,
    async toPublish(topic) {
      const ranges = await of(topic, 0);
      for (let i = ranges.length - 1; i > 0; i--) {
        const range = ranges[i];
        if (range !== undefined && (moved.has(topic) || (await isUsed(range)))) return range;
      }
      return ranges[0] ?? rangeOf(topic, 0);
    },
    moved: (topic) => void moved.add(topic),
    async toRead(group, topic) {
      const ranges = await of(topic);
      const first = ranges[0] ?? rangeOf(topic, 0);
      if (ranges.length <= 1) return first;
      const topics = ranges.map(({ kafkaTopic }) => kafkaTopic);
      const used = await Promise.all(ranges.map(isUsed));
      const now = performance.now();
      // Only once a later one has records is it certain that no more come to a range.
      const isOver = (index: number) => used.includes(true, index + 1);
      for (const [index, { kafkaTopic }] of ranges.entries()) {
        if (isOver(index) && !overSince.has(kafkaTopic)) overSince.set(kafkaTopic, now);
      }
      const find = async () => {
        // After the ends are known to be ends, so that nothing is committed up to one that was not.
        const committed = await use((a) => a.fetchOffsets({ groupId: group, topics }));
        const begun = begunOf(committed, ranges);
        // From the first, because an operator may have reset the group.
        for (let i = 0; ; i++) {
          const range = ranges[i] ?? first;
          if (isOver(i) && (await isReadToEnd(range, committed, i < begun))) continue;
          const left = ranges.slice(begun, i).map(({ kafkaTopic }) => overSince.get(kafkaTopic) ?? now);
          return { range, certainAt: Math.max(...left) + ANSWERED_MS };
        }
      };
      const { range, certainAt } = await find();
      if (certainAt <= now) return range;
      await pause(certainAt - now);
      return (await find()).range;
    },
  };
}
