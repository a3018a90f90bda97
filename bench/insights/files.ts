import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ArchiveFileRecord } from '@switchboard/contracts';

/** Generated events in files as the archive's compaction writes them: sorted, in groups of 4,096 rows, compressed. */

export const LARGE = 'large';
export const smallProject = (number: number) => `small-${number}`;
export const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z');
export const DAY_MS = 86_400_000;
const EVENT_NAMES = ['page seen', 'product seen', 'product added', 'checkout begun', 'order placed'];

export interface GeneratedFiles {
  records: ArchiveFileRecord[];
  bytes: number;
  /** Files of a few events, each of which makes answers be computed again. */
  newer: ArchiveFileRecord[];
}

interface Options {
  folder: string;
  /** Of the large project. */
  events: number;
  days: number;
  /** Small projects, with a tenth of the events together. */
  projects: number;
  /** How many newer files. */
  newer: number;
}

/** Writes two files a day: one of the large project, and one of all small ones. */
export async function generateFiles({
  folder,
  events,
  days,
  projects,
  newer,
}: Options): Promise<GeneratedFiles> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' });
  const connection = await instance.connect();

  /** Rows `from` to `to` of a day, in a file of its own. */
  async function write(name: string, day: number, project: string | null, from: number, to: number) {
    const date = new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
    const key = `events/${date}/${name}.parquet`;
    await mkdir(dirname(join(folder, key)), { recursive: true });
    const owner = project === null ? `'small-' || (hash(i + 7) % ${projects})` : `'${project}'`;
    const people = Math.max(10, Math.round(events / 100));
    const start = FIRST_DAY + day * DAY_MS;
    // Literals are numbers and names of this file alone.
    await connection.run(`copy (
      select ${owner} as project_id, '${name}-${day}-' || i as event_id,
        (${listOf(EVENT_NAMES)})[1 + least(4, (log2(1 + hash(i) % 31))::integer)] as event_name,
        'person ' || (hash(i + 1) % ${people}) as distinct_id, 's' || (i % 1000) as session_id,
        1::bigint as schema_version,
        make_timestamptz((${start} + (hash(i + 2) % ${DAY_MS})::bigint) * 1000) as occurred_at,
        occurred_at + interval 1 second as received_at, null::timestamptz as sent_at, '' as timestamp,
        '{"plan":"' || (${listOf(['free', 'starter', 'pro', 'team'])})[1 + (hash(i + 3) % 4)::integer] ||
          '","total":' || (hash(i + 4) % 10000) / 100 || ',"product":"product ' || hash(i + 5) % 200 || '"}' as properties,
        '{"os":"' || (${listOf(['iOS', 'Android', 'Windows'])})[1 + (hash(i + 6) % 3)::integer] || '"}' as context,
        0 as log_partition, i::bigint as log_offset, 0 as log_line
      from range(${from}, ${to}) as numbers(i)
      order by project_id, event_name, distinct_id, occurred_at
    ) to '${join(folder, key)}' (format parquet, compression zstd, row_group_size 4096)`);
    return {
      key,
      region: 'eu',
      project,
      bucket: null,
      buckets: null,
      day: date,
      rows: to - from,
      bytes: (await stat(join(folder, key))).size,
      firstOccurredAt: new Date(start).toISOString(),
      lastOccurredAt: new Date(start + DAY_MS - 1).toISOString(),
      eventNames: EVENT_NAMES,
      replaces: [],
      createdAt: new Date().toISOString(),
    };
  }

  const records: ArchiveFileRecord[] = [];
  const ofDay = Math.round(events / days);
  const ofOthers = Math.max(1, Math.round(ofDay / 10));
  for (let day = 0; day < days; day++) {
    records.push(await write('project=large', day, LARGE, day * ofDay, (day + 1) * ofDay));
    records.push(await write('bucket=0', day, null, day * ofOthers, (day + 1) * ofOthers));
  }
  const small: ArchiveFileRecord[] = [];
  for (let number = 0; number < newer; number++) {
    small.push({ ...(await write(`newer-${number}`, 0, null, 0, 10)) });
  }
  connection.closeSync();
  instance.closeSync();
  return { records, bytes: records.reduce((sum, { bytes }) => sum + bytes, 0), newer: small };
}

const listOf = (texts: string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;
