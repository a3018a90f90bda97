import type { Metrics } from '@switchboard/runtime';
import type { Inserted } from './insert.ts';

export interface SinkMetrics {
  /** The JSON bytes of events that this process holds. */
  held: { bytes: number };
  inserted(block: Inserted, seconds: number): void;
}

/** Created even without ClickHouse, so that a scrape has the same metrics everywhere. */
export function createSinkMetrics(metrics: Pick<Metrics, 'counter' | 'durations' | 'gauge'>): SinkMetrics {
  const held = { bytes: 0 };
  const events = metrics.counter('switchboard_clickhouse_events_total', 'Events inserted into ClickHouse.');
  const duplicates = metrics.counter(
    'switchboard_clickhouse_duplicates_total',
    'Events skipped because ClickHouse has them.',
  );
  const deadLetters = metrics.counter(
    'switchboard_clickhouse_dead_letters_total',
    'Events that ClickHouse rejected, sent to the dead-letter topic.',
  );
  const seconds = metrics.durations(
    'switchboard_clickhouse_insert_duration_seconds',
    'Time to look up and insert a block of events.',
    [],
  );
  metrics.gauge(
    'switchboard_clickhouse_buffered_bytes',
    'Bytes of events held in memory until they are inserted.',
    () => held.bytes,
  );
  return {
    held,
    inserted(block, took) {
      events.add(block.events);
      duplicates.add(block.duplicates);
      deadLetters.add(block.deadLetters);
      seconds.observe([], took);
    },
  };
}
