import { DuckDBInstance } from '@duckdb/node-api';

/** How often the archive of a standalone has each event of a project, without those of the demo. */
export async function archivedEvents(home: string, projectId: string): Promise<Map<string, number>> {
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    // A merged file repeats rows of files that stay for a while, with their positions on the log.
    const rows = await connection.runAndReadAll(
      `SELECT event_id, count(DISTINCT (log_partition, log_offset, log_line)) AS count
       FROM read_parquet('${home}/objects/events/*/*.parquet')
       WHERE project_id = '${projectId}' AND event_id NOT LIKE 'demo-%' GROUP BY event_id`,
    );
    return new Map(rows.getRowObjectsJson().map((row) => [String(row['event_id']), Number(row['count'])]));
  } finally {
    connection.closeSync();
  }
}
