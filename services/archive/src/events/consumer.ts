import { ingestionTopics } from '@switchboard/contracts';
import { type BackgroundConsumer, createPartitionWorkers, type EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import type { Clock, Logger, Metrics } from '@switchboard/runtime';
import type { Threads } from '@switchboard/runtime/threads';
import type { EventCalls } from './calls.ts';
import { createDeduplication } from './deduplication.ts';
import { createEventPartition, type FileSettings } from './partition.ts';
import type { EventsStore } from './store.ts';

/** The consumer group of the event archive. Its committed offsets are the progress of stored files. */
export const EVENTS_GROUP = 'archive.events';

/** The size on the wire. Kafka's batches are compressed, and several times as large in memory. */
const BATCH_BYTES = 256 * 1024;

export interface EventConsumerOptions {
  store: EventsStore;
  log: Pick<EventLog, 'consume'>;
  objects: Pick<ObjectStore, 'put' | 'get' | 'list' | 'delete'>;
  /** The threads that decode and encode events. */
  threads: Pick<Threads<EventCalls>, 'use'>;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'counter' | 'gauge'>;
  settings: FileSettings;
}

/** Creates the consumer that writes the topic `events` to Parquet files, each event once. */
export function createEventConsumer(options: EventConsumerOptions): BackgroundConsumer {
  const { store, log, objects, threads, clock, logger, metrics, settings } = options;
  const held = { bytes: 0 };

  const archived = metrics.counter('switchboard_archive_events_total', 'Events written to files.');
  const files = metrics.counter('switchboard_archive_files_total', 'Parquet files stored.');
  const duplicates = metrics.counter('switchboard_archive_duplicates_total', 'Events dropped as duplicates.');
  const deadLetters = metrics.counter(
    'switchboard_archive_dead_letters_total',
    'Undecodable lines and records sent to the dead-letter topic.',
  );
  metrics.gauge(
    'switchboard_archive_buffered_bytes',
    'Bytes of events held in memory until their file is written.',
    () => held.bytes,
  );
  metrics.gauge(
    'switchboard_archive_oldest_unarchived_seconds',
    'Age of the oldest record that was read and is not yet in a file.',
    () => {
      const oldest = [...workers.open.values()].flatMap((one) => one.oldestAt() ?? []);
      return oldest.length === 0 ? 0 : Math.max(0, (clock.now().getTime() - Math.min(...oldest)) / 1000);
    },
  );

  const deduplicate = createDeduplication({ store, threads, onDeadLetters: deadLetters.add });
  const workers = createPartitionWorkers({
    log,
    group: EVENTS_GROUP,
    topic: ingestionTopics.events,
    maxBatchBytes: BATCH_BYTES,
    minFetchBytes: BATCH_BYTES,
    open: (partition) =>
      createEventPartition({
        partition,
        deduplicate,
        store,
        objects,
        threads,
        settings,
        held,
        logger,
        onStored(contents) {
          archived.add(contents.events);
          files.add(contents.files.length);
          duplicates.add(contents.duplicates);
        },
      }),
  });

  return workers;
}
