import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ArchiveFileRecord } from '@switchboard/contracts';

/** Generated events in files like those of the archive's compaction: sorted, compressed, in groups of 4,096 rows. */

export const LARGE = 'large';
export const smallProject = (number: number) => `small-${number}`;
export const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z');
export const DAY_MS = 86_400_000;
/** Returns the date of a day, counted from the first. */
export const dayOf = (day: number) => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
const EVENT_NAMES = ['page seen', 'product seen', 'product added', 'checkout begun', 'order placed'];

/** A file to write. */
interface Wanted {
  /** A part of the file name. */
  name: string;
  /** The day, counted from the first. */
  day: number;
  rows: number;
  /** The project, or the number of small projects. */
  of: string | number;
  /** The number of active people over all days. */
  people: number;
}

export interface FileWriter {
  write(wanted: Wanted): Promise<ArchiveFileRecord>;
  close(): void;
}

export async function openFileWriter(folder: string): Promise<FileWriter> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' });
  const connection = await instance.connect();
  return {
    async write({ name, day, rows, of, people }) {
      const date = dayOf(day);
      const key = `events/${date}/${name}.parquet`;
      await mkdir(dirname(join(folder, key)), { recursive: true });
      const owner = typeof of === 'number' ? `'small-' || (hash(i + 7) % ${of})` : `'${of}'`;
      const start = FIRST_DAY + day * DAY_MS;
      // Safe, because the literals are numbers and names from this file only.
      await connection.run(`copy (
        select ${owner} as project_id, '${name}-${day}-' || i as event_id,
          (${listOf(EVENT_NAMES)})[1 + least(4, (log2(1 + hash(i) % 31))::integer)] as event_name,
          'person ' || (hash(i + 1) % ${people}) as distinct_id, 's' || (i % 1000) as session_id,
          1::bigint as schema_version,
          make_timestamptz((${start} + (hash(i + 2) % ${DAY_MS})::bigint) * 1000) as occurred_at,
          occurred_at + interval 1 second as received_at, null::timestamptz as sent_at, '' as timestamp,
          '{"plan":"' || (${listOf(['free', 'starter', 'pro', 'team'])})[1 + (hash(i + 3) % 4)::integer] ||
            '","total":' || (hash(i + 4) % 10000) / 100 || ',"product":"product ' || hash(i + 5) % 200 || '"}' as properties,
          '{"os":"' || (${listOf(['iOS', 'Android', 'Windows'])})[1 + (hash(i + 6) % 3)::integer] || '"}' as context, false as bot,
          0 as log_partition, i::bigint as log_offset, 0 as log_line
        from range(${day * rows}, ${(day + 1) * rows}) as numbers(i)
        order by project_id, event_name, distinct_id, occurred_at
      ) to '${join(folder, key)}' (format parquet, compression zstd, row_group_size 4096)`);
      return {
        key,
        region: 'eu',
        project: typeof of === 'number' ? null : of,
        bucket: null,
        buckets: null,
        day: date,
        rows,
        bytes: (await stat(join(folder, key))).size,
        firstOccurredAt: new Date(start).toISOString(),
        lastOccurredAt: new Date(start + DAY_MS - 1).toISOString(),
        eventNames: EVENT_NAMES,
        replaces: [],
        createdAt: new Date().toISOString(),
      };
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

const listOf = (texts: string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

/** Returns the number of active people of a project with this number of events. */
export const peopleOf = (events: number) => Math.max(10, Math.round(events / 100));

/** Returns a map in which this part of the ids belong to a person with another id. */
export function joinedIds(events: number, part: number): Map<string, string> {
  const joined = Math.round(peopleOf(events) * part);
  return new Map(Array.from({ length: joined }, (_, id) => [`person ${id}`, `person ${joined + id}`]));
}

interface Generated {
  /** The number of events of the large project. */
  events: number;
  days: number;
  /** The number of small projects, which together have a tenth of the events. */
  projects: number;
}

/** Writes two files per day: one for the large project, and one for all small projects. */
export async function generateFiles(
  folder: string,
  { events, days, projects }: Generated,
): Promise<ArchiveFileRecord[]> {
  const writer = await openFileWriter(folder);
  const people = peopleOf(events);
  const rows = Math.round(events / days);
  const records: ArchiveFileRecord[] = [];
  for (let day = 0; day < days; day++) {
    records.push(await writer.write({ name: 'project=large', day, rows, of: LARGE, people }));
    const others = Math.max(1, Math.round(rows / 10));
    records.push(await writer.write({ name: 'bucket=0', day, rows: others, of: projects, people }));
  }
  writer.close();
  return records;
}
