import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/service-kit';

const POLL_MS = 1_000;
const MAX_SAMPLES = 600;

interface Sample {
  at: number;
  ends: readonly bigint[];
}

export interface Watermark {
  /** Every event accepted before this time can be asked about. Milliseconds since 1970; 0 while that is unknown. */
  asOf(): number;
  /** Returns at once. */
  start(): void;
  stop(): Promise<void>;
}

interface WatermarkOptions {
  log: Pick<EventLog, 'endOffsets'>;
  /** The events that can be asked about: those before these offsets, by partition. */
  stored(): Promise<readonly bigint[]>;
  clock: Clock;
  logger: Logger;
}

/** Remembers how long the log of events was at which time. */
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
    // Where events are stored long after they are accepted, every other sample will do.
    if (samples.length > MAX_SAMPLES) samples = samples.filter((_, index) => index % 2 === 1);
    const isStored = (sample: Sample) =>
      sample.ends.every((end, partition) => (offsets[partition] ?? 0n) >= end);
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
        onFailure: (error) => logger.failed('read how far events are stored', error),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
