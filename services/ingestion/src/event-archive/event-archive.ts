import { ingestionTopics } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import type { Consumption, EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import type { Clock, Logger, Metrics } from '@switchboard/service-kit';
import { forgetOld } from './forgetting.ts';
import { type ArchiveSettings, createPartitionArchive, type PartitionArchive } from './partition.ts';
import { createSegments } from './segments.ts';
import { createTakingIn } from './taking-in.ts';

/** The consumer group of the archive; its offsets say how far files are stored. */
export const eventArchiveGroup = 'ingestion.event-archive';

/** As they travel: Kafka's are compressed, and several times as large in memory. */
const BATCH_BYTES = 256 * 1024;
const FORGET_EVERY_MS = 60_000;

interface EventArchiveOptions {
  database: Pick<Database, 'drizzle'>;
  log: Pick<EventLog, 'consume'>;
  objects: Pick<ObjectStore, 'put' | 'get'>;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'counter' | 'gauge'>;
  settings: ArchiveSettings;
  /** How long the topic keeps a record. */
  retentionHours: number;
}

export interface EventArchive {
  /** Returns at once. */
  start(): void;
  /** Lets go of what is not written yet: it is read again at the next start, here or elsewhere. */
  stop(): Promise<void>;
}

/** Writes the topic `events` into Parquet files, each event once. */
export function createEventArchive(options: EventArchiveOptions): EventArchive {
  const { database, log, objects, clock, logger, metrics, settings, retentionHours } = options;
  const partitions = new Map<number, PartitionArchive>();
  const held = { bytes: 0 };
  let consumption: Promise<Consumption> | undefined;
  let forgetting: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const archived = metrics.counter(
    'switchboard_archive_events_total',
    'Events written to files of the archive.',
  );
  const files = metrics.counter('switchboard_archive_files_total', 'Files of the archive that were stored.');
  const dropped = metrics.counter(
    'switchboard_archive_duplicates_total',
    'Events left out of the archive since they were accepted before.',
  );
  const unreadable = metrics.counter(
    'switchboard_archive_dead_letters_total',
    'Lines or records of events that could not be read and are on the dead-letter topic.',
  );
  metrics.gauge(
    'switchboard_archive_buffered_bytes',
    'JSON of events held until their file is written.',
    () => held.bytes,
  );
  metrics.gauge(
    'switchboard_archive_oldest_unarchived_seconds',
    'Age of the oldest record that was read and is in no file yet.',
    () => {
      const oldest = [...partitions.values()].flatMap((one) => one.oldestAt() ?? []);
      return oldest.length === 0 ? 0 : Math.max(0, (clock.now().getTime() - Math.min(...oldest)) / 1000);
    },
  );

  const segments = createSegments(database);
  const takeIn = createTakingIn({ database, onDeadLetters: unreadable.add });

  function archiveOf(partition: number): PartitionArchive {
    const known = partitions.get(partition);
    if (known !== undefined) return known;
    const created = createPartitionArchive({
      partition,
      takeIn,
      segments,
      objects,
      settings,
      held,
      logger,
      onStored(contents) {
        archived.add(contents.events);
        files.add(contents.files);
        dropped.add(contents.duplicates);
      },
    });
    partitions.set(partition, created);
    return created;
  }

  function forget(): void {
    forgetting = forgetOld(database, { retentionHours }).catch((error: unknown) => {
      logger.warn({ error }, 'old bookkeeping of the event archive was not removed; trying again');
    });
  }

  return {
    start() {
      consumption ??= log.consume({
        group: eventArchiveGroup,
        topics: [ingestionTopics.events],
        commit: 'manual',
        maxBatchBytes: BATCH_BYTES,
        handle: (batch) => archiveOf(batch.partition).add(batch),
        onRevoked(_, partition) {
          partitions.get(partition)?.drop();
          partitions.delete(partition);
        },
      });
      timer ??= setInterval(forget, FORGET_EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      const left = [...partitions.values()];
      for (const one of left) one.drop();
      await (await consumption)?.stop();
      await Promise.all(left.map((one) => one.settled()));
      await forgetting;
    },
  };
}
