import { DuckDBInstance } from '@duckdb/node-api';

/** Counts each archived event of a project in a standalone, without those of the demo. */
export async function archivedEvents(home: string, projectId: string): Promise<Map<string, number>> {
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    // A merged file repeats rows of its source files, which stay for a while, including their log positions.
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
