import type { Database } from '@switchboard/database';

/** The number of objects that the archive writes per day at the average rate. */
export interface Objects {
  /** The number of segment files. */
  written: number;
  /** The number of merged files of the open day. */
  merged: number;
  filesPerSegment: number;
}

/** Estimates the objects per day from how often each partition's files were written since a time. */
export async function objectsPerDay(sql: Database['sql'], since: string): Promise<Objects> {
  const [segments] = await sql`
    select coalesce(sum(segments - 1) / nullif(sum(seconds), 0), 0)::float8 * count(*)::float8 as per_second,
      coalesce(sum(files) / sum(segments), 0)::float8 as files
    from (
      select count(*)::float8 as segments, sum(files)::float8 as files,
        extract(epoch from max(stored_at) - min(stored_at))::float8 as seconds
      from event_segments where stored_at > ${since}::timestamptz group by log_partition) as partitions`;
  const [merged] = await sql`
    select count(*)::int as count, extract(epoch from now() - ${since}::timestamptz)::float8 as seconds
    from event_files where made_by is not null and created_at > ${since}::timestamptz`;
  return {
    written: segments?.['per_second'] * segments?.['files'] * 86_400,
    merged: (merged?.['count'] / merged?.['seconds']) * 86_400,
    filesPerSegment: segments?.['files'],
  };
}
