import { type SQL, sql } from 'drizzle-orm';
import type { NewFile } from '../rows/contents.ts';
import { eventFiles } from './files.ts';

/** Returns the statement that inserts files if a condition holds. Existing files are unchanged. */
export function insertFiles(files: readonly NewFile[], condition: SQL): SQL {
  return sql`
    insert into ${eventFiles} (${newFileColumns}) select ${newFileColumns} from ${rowsOfFiles(files)} where ${condition}
    on conflict (key) do nothing`;
}

export const newFileColumns = sql`key, day, project_id, bucket, buckets, rows, bytes, row_bytes, first_occurred_at,
  last_occurred_at, event_names`;

/** Returns the rows of files, named `file`. */
export function rowsOfFiles(files: readonly NewFile[]): SQL {
  const rows = files.map((file) => ({
    key: file.key,
    day: file.day,
    project_id: file.projectId,
    bucket: file.bucket,
    buckets: file.buckets,
    rows: file.rows,
    bytes: file.bytes,
    row_bytes: file.rowBytes,
    first_occurred_at: file.firstOccurredAt,
    last_occurred_at: file.lastOccurredAt,
    event_names: file.eventNames,
  }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as file (key text, day date, project_id text,
    bucket integer, buckets integer, rows bigint, bytes bigint, row_bytes bigint, first_occurred_at bigint,
    last_occurred_at bigint, event_names text[])`;
}
