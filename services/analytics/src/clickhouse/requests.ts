import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';

/** The time limit of the server. The client gives up a little later. */
const INSERT_SECONDS = 25;

/** An error response of ClickHouse. The message omits the query and the data that ClickHouse quotes. */
export class Refused extends Error {
  override name = 'Refused';
  readonly code: number;

  constructor({ code, type = 'unknown' }: { code: string; type?: string | undefined }) {
    super(`ClickHouse rejected the request: ${type} (code ${code})`);
    this.code = Number(code);
  }
}

interface Insertion {
  table: string;
  /** Rows with the same token are inserted once. */
  token: string;
  values: readonly object[];
  signal: AbortSignal;
}

/** Inserts rows as one block. */
export function insertRows(
  client: ClickHouseClient,
  { table, token, values, signal }: Insertion,
): Promise<unknown> {
  return known(
    client.insert({
      table,
      values,
      format: 'JSONEachRow',
      abort_signal: signal,
      clickhouse_settings: {
        insert_deduplication_token: token,
        // A failed attempt may have reached the table but not its view.
        deduplicate_blocks_in_dependent_materialized_views: 1,
        max_execution_time: INSERT_SECONDS,
        // One block is inserted completely or not at all.
        async_insert: 0,
        input_format_parallel_parsing: 0,
      },
    }),
  );
}

/** Returns the answer of ClickHouse. Throws Refused. */
export async function known<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ClickHouseError ? new Refused(error) : error;
  }
}

interface RowsOfProject {
  table: 'events' | 'project_versions' | 'people' | 'groups' | 'person_ids';
  projectId: string;
  signal: AbortSignal;
}

/** Removes the rows of a project, also from disk. */
export async function removeRowsOf(
  client: ClickHouseClient,
  { table, projectId, signal }: RowsOfProject,
): Promise<void> {
  await known(
    client.command({
      query: `delete from ${table} where project_id = {project: String}`,
      query_params: { project: projectId },
      abort_signal: signal,
      clickhouse_settings: { lightweight_deletes_sync: '2' },
    }),
  );
  // A deleted row is only hidden until its part is merged.
  await known(
    client.command({
      query: `alter table ${table} apply deleted mask`,
      abort_signal: signal,
      clickhouse_settings: { mutations_sync: '2' },
    }),
  );
}
