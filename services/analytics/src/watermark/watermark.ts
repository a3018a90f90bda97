import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/service-kit';
import { FILES_GROUP } from '../files/consumer.ts';

/** The group whose commits say which events are in files. */
const ARCHIVE_GROUP = 'archive.events';
const POLL_MS = 1_000;
const MAX_SAMPLES = 600;

interface Sample {
  at: number;
  ends: readonly bigint[];
}

export interface Watermark {
  /** Every event accepted before this time is in the known files. Milliseconds since 1970; 0 while that is unknown. */
  asOf(): number;
  /** Returns at once. */
  start(): void;
  stop(): Promise<void>;
}

interface WatermarkOptions {
  log: Pick<EventLog, 'endOffsets' | 'committedOffsets' | 'lag'>;
  clock: Clock;
  logger: Logger;
  filesTopic: string;
}

/**
 * Remembers how long the log of events was at which time. What the archive has committed is in files, and they are
 * known once the replica of files has read everything at a look after that.
 */
export function createWatermark({ log, clock, logger, filesTopic }: WatermarkOptions): Watermark {
  const stopping = new AbortController();
  let samples: Sample[] = [];
  let archived = 0;
  let known = 0;
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    const at = clock.now().getTime();
    const ends = await log.endOffsets(ingestionTopics.events);
    const committed = await log.committedOffsets(ARCHIVE_GROUP, ingestionTopics.events);
    const lags = await log.lag(FILES_GROUP, [filesTopic]);
    // Files are announced a moment after the commit, so this looks at the commits of the time before.
    if (lags.length > 0 && lags.every(({ behind }) => behind === 0n)) known = archived;
    samples.push({ at, ends });
    // Where the archive is far behind, every other sample will do.
    if (samples.length > MAX_SAMPLES) samples = samples.filter((_, index) => index % 2 === 1);
    const isArchived = (sample: Sample) =>
      sample.ends.every((end, partition) => (committed[partition] ?? 0n) >= end);
    const index = samples.findLastIndex(isArchived);
    if (index >= 0) {
      archived = samples[index]?.at ?? archived;
      samples = samples.slice(index + 1);
    }
  }

  return {
    asOf: () => known,
    start() {
      running ??= poll(look, {
        everyMs: POLL_MS,
        signal: stopping.signal,
        onFailing: (error) => logger.warn({ error }, 'how far the archive is cannot be read, retrying'),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
