import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { bucketOf } from '@switchboard/contracts';
import { DAY_MS } from '../../insights/files.ts';
import { MODEL, projectId, projectInSql, type Size } from './model.ts';

export const EVENT_NAMES = ['page seen', 'product seen', 'product added', 'checkout begun', 'order placed'];
/** The approximate size of a bucket file in the archive. */
const BUCKET_BYTES = 32 * 1024 * 1024;
const BYTES_PER_EVENT = 50;

/** A row of `event_files`. */
export interface StoredFile {
  key: string;
  day: string;
  bucket: number | null;
  buckets: number | null;
  rows: number;
  bytes: number;
  first_occurred_at: number;
  last_occurred_at: number;
}

/**
 * Writes the archived events of the model, by UTC day until the day before yesterday. The files are like the
 * archive's for a closed day: by bucket of projects, sorted, compressed, in groups of 4,096 rows.
 */
export async function writeFiles(folder: string, size: Size): Promise<StoredFile[]> {
  const { archivedEvents, people, projects } = size;
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '2GB' });
  const connection = await instance.connect();
  const ofDay = Math.max(1, Math.round(archivedEvents / MODEL.archivedDays));
  const buckets = 2 ** Math.max(0, Math.ceil(Math.log2((ofDay * BYTES_PER_EVENT) / BUCKET_BYTES)));
  await connection.run('create table projects (number bigint, id text, bucket integer)');
  const appender = await connection.createAppender('projects');
  for (let number = 0; number < projects; number++) {
    appender.appendBigInt(BigInt(number));
    appender.appendVarchar(projectId(number));
    appender.appendInteger(bucketOf(projectId(number), buckets));
    appender.endRow();
  }
  appender.closeSync();
  const files: StoredFile[] = [];
  const today = Math.floor(Date.now() / DAY_MS);
  for (let day = today - 1 - MODEL.archivedDays; day < today - 1; day++) {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    const from = (day - today + 1 + MODEL.archivedDays) * ofDay;
    await connection.run(`create or replace temp table day as
      select p.id as project_id, p.bucket, 'archived-' || i as event_id,
        (${listOf(EVENT_NAMES)})[1 + least(4, (log2(1 + hash(i) % 31))::integer)] as event_name,
        'user-' || person as distinct_id, 's' || person % 1000 as session_id, 1::bigint as schema_version,
        make_timestamptz((${day * DAY_MS} + (hash(i + 2) % ${DAY_MS})::bigint) * 1000) as occurred_at,
        occurred_at + interval 1 second as received_at, null::timestamptz as sent_at, '' as timestamp,
        '{"plan":"' || (${listOf(['free', 'starter', 'pro', 'team'])})[1 + (hash(i + 3) % 4)::integer] ||
          '","total":' || (hash(i + 4) % 10000) / 100 || ',"product":"product ' || hash(i + 5) % 200 || '"}' as properties,
        '{"os":"' || (${listOf(['iOS', 'Android', 'Windows'])})[1 + (hash(i + 6) % 3)::integer] || '"}' as context, false as bot,
        0 as log_partition, i::bigint as log_offset, 0 as log_line
      from (select i, (hash(i + 1) % ${people})::bigint as person from range(${from}, ${from + ofDay}) as numbers(i))
      join projects as p on p.number = ${projectInSql('person', projects)}`);
    for (let bucket = 0; bucket < buckets; bucket++) {
      const key = `events/${date}/merged-bench-${bucket}.parquet`;
      const path = join(folder, key);
      await mkdir(dirname(path), { recursive: true });
      await connection.run(`copy (
        select * exclude (bucket) from day where bucket = ${bucket}
        order by project_id, event_name, distinct_id, occurred_at
      ) to '${path}' (format parquet, compression zstd, row_group_size 4096)`);
      const counted = await connection.runAndReadAll(
        `select count(*)::integer from day where bucket = ${bucket}`,
      );
      files.push({
        key,
        day: date,
        bucket: buckets > 1 ? bucket : null,
        buckets: buckets > 1 ? buckets : null,
        rows: Number(counted.getRows()[0]?.[0]),
        bytes: (await stat(path)).size,
        first_occurred_at: day * DAY_MS,
        last_occurred_at: (day + 1) * DAY_MS - 1,
      });
    }
  }
  connection.closeSync();
  instance.closeSync();
  return files;
}

const listOf = (texts: string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;
