import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';

interface Migration {
  id: number;
  /** Each statement can run again, even in two processes at once. */
  statements: readonly string[];
}

/**
 * The migrations of the tables in ClickHouse, in the order in which they run. An applied migration is never edited.
 * The previous version of the service keeps working on the new tables.
 */
const MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    statements: [
      // The columns of the archive's Parquet files. Partitioned by month of acceptance, which clients cannot choose.
      // Partitioning by the times that clients claim could create thousands of partitions.
      `create table if not exists events (
        project_id String,
        event_id String,
        event_name String,
        distinct_id String,
        session_id Nullable(String),
        schema_version Int64,
        occurred_at DateTime64(3, 'UTC'),
        received_at DateTime64(3, 'UTC'),
        sent_at Nullable(DateTime64(3, 'UTC')),
        timestamp String,
        properties Nullable(String) codec(ZSTD(1)),
        context Nullable(String) codec(ZSTD(1)),
        log_partition Int32,
        log_offset Int64,
        log_line Int32,
        index occurred_at occurred_at type minmax
      ) engine = MergeTree
      partition by toYYYYMM(received_at)
      order by (project_id, event_name, distinct_id, occurred_at)
      settings non_replicated_deduplication_window = 10000`,
      // Hashes of the ids of inserted events, kept for as long as the archive knows them. Blocks are small, because a
      // query looks up thousands of scattered keys.
      `create table if not exists event_keys (
        event_key UUID,
        seen_on Date default today()
      ) engine = MergeTree
      partition by seen_on
      order by event_key
      ttl seen_on + interval 8 day
      settings ttl_only_drop_parts = 1, index_granularity = 256, min_compress_block_size = 4096,
        max_compress_block_size = 4096, non_replicated_deduplication_window = 10000`,
      // From the version that copied people and groups for each question.
      `create table if not exists question_people (
        question String,
        distinct_id String,
        traits String,
        groups String,
        copied_at DateTime default now()
      ) engine = MergeTree
      partition by question
      order by distinct_id
      ttl copied_at + interval 1 hour
      settings ttl_only_drop_parts = 1`,
    ],
  },
  {
    id: 2,
    statements: [
      // Per-project state that changes with every insert: checking whether a result is still the newest takes one
      // look-up.
      `create table if not exists project_versions (
        project_id String,
        inserted SimpleAggregateFunction(sum, UInt64),
        changed_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
      ) engine = AggregatingMergeTree
      order by project_id`,
      `create materialized view if not exists project_versions_of_events to project_versions as
        select project_id, count() as inserted, now64(3, 'UTC') as changed_at from events group by project_id`,
    ],
  },
  {
    id: 3,
    statements: [
      // Copies of rows in PostgreSQL. The row with the newest version counts.
      `create table if not exists people (
        project_id String,
        distinct_id String,
        traits String codec(ZSTD(1)),
        groups String codec(ZSTD(1)),
        seen_on Date,
        version UInt64
      ) engine = ReplacingMergeTree(version)
      order by (project_id, distinct_id)
      settings non_replicated_deduplication_window = 10000`,
      `create table if not exists groups (
        project_id String,
        type String,
        id String,
        traits String codec(ZSTD(1)),
        seen_on Date,
        version UInt64
      ) engine = ReplacingMergeTree(version)
      order by (project_id, type, id)
      settings non_replicated_deduplication_window = 10000`,
    ],
  },
  {
    id: 4,
    statements: [
      `create table if not exists person_ids (
        project_id String,
        distinct_id String,
        person_id String,
        version UInt64
      ) engine = ReplacingMergeTree(version)
      order by (project_id, distinct_id)
      settings non_replicated_deduplication_window = 10000`,
    ],
  },
  {
    id: 5,
    statements: [
      // People by number, for one computation.
      `create table if not exists cohort_facts (
        run String,
        k Int64,
        p String,
        created_at DateTime default now()
      ) engine = MergeTree
      partition by run
      order by (k, p)
      ttl created_at + interval 1 hour
      settings ttl_only_drop_parts = 1`,
    ],
  },
  {
    id: 6,
    // Whether a known bot sent the event.
    statements: ['alter table events add column if not exists bot Bool default false after context'],
  },
  {
    id: 7,
    statements: [
      // Copies of people and groups, for one SQL query.
      `create table if not exists sql_people (
        run String,
        person_id String,
        traits String codec(ZSTD(1)),
        groups String codec(ZSTD(1)),
        first_seen_at DateTime64(0, 'UTC'),
        last_seen_at DateTime64(0, 'UTC'),
        copied_at DateTime default now()
      ) engine = MergeTree
      partition by run
      order by (run, person_id)
      ttl copied_at + interval 1 hour
      settings ttl_only_drop_parts = 1`,
      `create table if not exists sql_groups (
        run String,
        type String,
        id String,
        traits String codec(ZSTD(1)),
        members Int64,
        first_seen_at DateTime64(0, 'UTC'),
        last_seen_at DateTime64(0, 'UTC'),
        copied_at DateTime default now()
      ) engine = MergeTree
      partition by run
      order by (run, type, id)
      ttl copied_at + interval 1 hour
      settings ttl_only_drop_parts = 1`,
    ],
  },
];

const appliedRows = z.array(z.object({ id: z.number() }));

/** Migrates the tables to the latest version. Several processes may do it at the same time. */
export async function migrateClickHouse(client: ClickHouseClient): Promise<void> {
  await client.command({
    query: `create table if not exists schema_migrations (id UInt32, applied_at DateTime default now())
      engine = ReplacingMergeTree order by id`,
  });
  const result = await client.query({
    query: 'select distinct id from schema_migrations',
    format: 'JSONEachRow',
  });
  const applied = new Set(appliedRows.parse(await result.json()).map(({ id }) => id));
  for (const { id, statements } of MIGRATIONS) {
    if (applied.has(id)) continue;
    for (const query of statements) await client.command({ query });
    await client.insert({
      table: 'schema_migrations',
      values: [{ id }],
      format: 'JSONEachRow',
      columns: ['id'],
    });
  }
}
