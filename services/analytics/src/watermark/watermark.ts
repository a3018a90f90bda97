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
  /** Changes whenever more events are stored; empty while that is unknown. */
  version(): string;
  /** Returns at once. */
  start(): void;
  stop(): Promise<void>;
}

interface WatermarkOptions {
  log: Pick<EventLog, 'endOffsets' | 'committedOffsets' | 'lag'>;
  clock: Clock;
  logger: Logger;
  /** The group whose commits say which events are stored. */
  group: string;
  /** Where what was stored is announced a moment after the commit, and the group that reads it. Absent: nowhere. */
  announced?: { group: string; topic: string };
}

/**
 * Remembers how long the log of events was at which time. What the group has committed is stored. Where that is
 * announced, it is known once everything announced is read at a look after that.
 */
export function createWatermark({ log, clock, logger, group, announced }: WatermarkOptions): Watermark {
  const stopping = new AbortController();
  let samples: Sample[] = [];
  let stored = 0;
  let known = 0;
  let version = '';
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    const at = clock.now().getTime();
    const ends = await log.endOffsets(ingestionTopics.events);
    const committed = await log.committedOffsets(group, ingestionTopics.events);
    version = committed.join(' ');
    // Announced a moment after the commit, so this looks at the commits of the time before.
    if (announced !== undefined && (await isRead(announced))) known = stored;
    samples.push({ at, ends });
    // Where the group is far behind, every other sample will do.
    if (samples.length > MAX_SAMPLES) samples = samples.filter((_, index) => index % 2 === 1);
    const isStored = (sample: Sample) =>
      sample.ends.every((end, partition) => (committed[partition] ?? 0n) >= end);
    const index = samples.findLastIndex(isStored);
    if (index >= 0) {
      stored = samples[index]?.at ?? stored;
      samples = samples.slice(index + 1);
    }
    if (announced === undefined) known = stored;
  }

  async function isRead({ group: reader, topic }: { group: string; topic: string }): Promise<boolean> {
    const lags = await log.lag(reader, [topic]);
    return lags.length > 0 && lags.every(({ behind }) => behind === 0n);
  }

  return {
    asOf: () => known,
    version: () => version,
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
