import { pause } from '@switchboard/resilience';
import type { Admin } from 'kafkajs';
import { UnknownTopic } from '../../errors.ts';
import type { KafkaAdmin } from '../admin.ts';
import { begunOf, type Committed, readOffsets } from '../offsets.ts';
import { type Range, rangeOf, rangesIn } from './range.ts';

/** The ranges of topics, cached briefly. */
export interface Ranges {
  /** Returns the ranges of a topic in order. Throws UnknownTopic. */
  of(topic: string, maxAgeMs?: number): Promise<Range[]>;
  /** Returns the range to publish to: the last that has records, or the last if a range is known to be closed. */
  toPublish(topic: string): Promise<Range>;
  /** Notes that a range of the topic rejected a record. */
  moved(topic: string): void;
  /** Returns the range that a group reads: the first that it has not read to its end, or the last. */
  toRead(group: string, topic: string): Promise<Range>;
}

const MAX_AGE_MS = 2_500;

/**
 * Longer than a broker waits for its replicas. After this time, the end offset includes every record stored before.
 */
const ANSWERED_MS = 2_000;

export function createRanges(admin: KafkaAdmin): Ranges {
  const moved = new Set<string>();
  /** When a range was first known to be complete, by its Kafka topic. */
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

  /** @param isLeft The group has begun a later range, so Kafka may have forgotten its offsets in this one. */
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
      // A range is certain to be complete only once a later one has records.
      const isOver = (index: number) => used.includes(true, index + 1);
      for (const [index, { kafkaTopic }] of ranges.entries()) {
        if (isOver(index) && !overSince.has(kafkaTopic)) overSince.set(kafkaTopic, now);
      }
      const find = async () => {
        // Read after the range is known to be over, so that a commit up to an earlier end does not count as complete.
        const committed = await use((a) => a.fetchOffsets({ groupId: group, topics }));
        const begun = begunOf(committed, ranges);
        // Starts at the first range, because an operator may have reset the group.
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
