import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';

const POLL_MS = 1_000;
const MAX_SAMPLES = 600;

interface Sample {
  at: number;
  ends: readonly bigint[];
}

export interface Watermark {
  /** Every event accepted before this time can be queried. Milliseconds since 1970; 0 while unknown. */
  asOf(): number;
  /** Returns at once. */
  start(): void;
  stop(): Promise<void>;
}

interface WatermarkOptions {
  log: Pick<EventLog, 'endOffsets'>;
  /** Returns the end offsets by partition: the events before them can be queried. */
  stored(): Promise<readonly bigint[]>;
  clock: Clock;
  logger: Logger;
}

/** Samples the end of the log of events over time. */
export function createWatermark({ log, stored, clock, logger }: WatermarkOptions): Watermark {
  const stopping = new AbortController();
  let samples: Sample[] = [];
  let known = 0;
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    const at = clock.now().getTime();
    const ends = await log.endOffsets(ingestionTopics.events);
    const offsets = await stored();
    samples.push({ at, ends });
    // Where events are stored long after acceptance, every second sample is sufficient.
    if (samples.length > MAX_SAMPLES) samples = samples.filter((_, index) => index % 2 === 1);
    // A repartitioned topic reuses offsets, and has another number of partitions.
    const isStored = ({ ends: sampled }: Sample) =>
      sampled.every((end, partition) => {
        return end === 0n || (offsets.length === sampled.length && (offsets[partition] ?? 0n) >= end);
      });
    const index = samples.findLastIndex(isStored);
    if (index < 0) return;
    known = samples[index]?.at ?? known;
    samples = samples.slice(index + 1);
  }

  return {
    asOf: () => known,
    start() {
      running ??= poll(look, {
        everyMs: POLL_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('read the watermark of stored events', error),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
