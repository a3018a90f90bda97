import type { GroupAccess } from '@switchboard/contracts';
import type { Consumption, EventLog, PartitionLag, RecordBatch } from '@switchboard/event-log';
import type { Metrics } from './metrics.ts';

interface LogMetrics {
  /** Starts the counters of a group at 0, so that rates include the first increase. */
  consuming(group: string, topics: readonly string[]): void;
  published(topic: string, records: number, seconds: number): void;
  notPublished(topic: string): void;
  handled(group: string, batch: RecordBatch): void;
  notHandled(group: string, topic: string): void;
  deadLettered(group: string, topic: string): void;
}

interface Groups {
  /** The consumptions of this process and their groups. */
  running: ReadonlyMap<Consumption, string>;
  /** Groups of other programs, since a program that is down cannot report its own lag. */
  watches: readonly GroupAccess[];
}

/** Creates the metrics of the event log. */
export function logMetrics(metrics: Metrics, log: EventLog, { running, watches }: Groups): LogMetrics {
  metrics.dependency('event log', log.ping);
  metrics.gauge(
    'switchboard_event_log_bytes_in_flight',
    'Bytes of records that are published but not yet acknowledged.',
    log.bytesInFlight,
  );
  metrics.gaugeBy(
    'switchboard_event_log_lag',
    'Records that a consumer group has not handled yet.',
    ['group', 'topic', 'partition'],
    async () => {
      const own = [...running].map(async ([consumption, group]) => lagOf(group, await consumption.lag()));
      const [ours, theirs] = await Promise.allSettled([Promise.all(own), watchedLag()]);
      return [ours, theirs].flatMap((one) => (one.status === 'fulfilled' ? one.value.flat() : []));
    },
  );
  const names = [...new Set(watches.map(({ group }) => group))];

  async function watchedLag() {
    if (names.length === 0) return [];
    // A group that the log does not know has nothing to read or is not deployed.
    const known = await log.members(names);
    const read = async ({ group, topics }: GroupAccess) => lagOf(group, await log.lag(group, [...topics]));
    return await Promise.all(watches.filter(({ group }) => known.has(group)).map(read));
  }

  if (names.length > 0) {
    metrics.gaugeBy(
      'switchboard_event_log_group_members',
      'Members of each consumer group of the deployment.',
      ['group'],
      async () => [...(await log.members(names))].map(([group, value]) => ({ labels: { group }, value })),
    );
  }
  const publishes = metrics.durations(
    'switchboard_event_log_publish_duration_seconds',
    'Time until the event log acknowledged a publish.',
    ['topic'],
  );
  const records = metrics.counterBy(
    'switchboard_event_log_published_records_total',
    'Records acknowledged by the event log.',
    ['topic'],
  );
  const publishFailures = metrics.counterBy(
    'switchboard_event_log_publish_failures_total',
    'Publishes that failed or timed out.',
    ['topic'],
  );
  const handled = metrics.counterBy(
    'switchboard_event_log_handled_records_total',
    'Records handled by a consumer group.',
    ['group', 'topic'],
  );
  const delays = metrics.durations(
    'switchboard_event_log_delay_seconds',
    'Age of the oldest record of a batch when the batch was handled.',
    ['group', 'topic'],
    [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200],
  );
  const handlingFailures = metrics.counterBy(
    'switchboard_event_log_handling_failures_total',
    'Failed attempts to handle a batch. Each is retried.',
    ['group', 'topic'],
  );
  const deadLetters = metrics.counterBy(
    'switchboard_event_log_dead_letters_total',
    'Records sent to the dead-letter topic.',
    ['group', 'topic'],
  );
  return {
    consuming(group, topics) {
      for (const topic of topics) {
        for (const count of [handled, handlingFailures, deadLetters]) count.add([group, topic], 0);
      }
    },
    published(topic, count, seconds) {
      publishes.observe([topic], seconds);
      records.add([topic], count);
    },
    notPublished: (topic) => publishFailures.add([topic]),
    handled(group, { topic, records: batch }) {
      handled.add([group, topic], batch.length);
      const oldest = batch[0]?.timestamp;
      if (oldest !== undefined) delays.observe([group, topic], Math.max(0, Date.now() - oldest) / 1000);
    },
    notHandled: (group, topic) => handlingFailures.add([group, topic]),
    deadLettered: (group, topic) => deadLetters.add([group, topic]),
  };
}

function lagOf(group: string, partitions: readonly PartitionLag[]) {
  return partitions.map(({ topic, partition, behind }) => ({
    labels: { group, topic, partition: String(partition) },
    value: Number(behind),
  }));
}
