import type { DuckDBConnection } from '@duckdb/node-api';
import { checkStatement, type SqlReads } from './check.ts';

/**
 * Parses and checks a query without running it. Returns the statement as DuckDB writes the one that was checked, so
 * that nothing else can be in it. Throws UnusableSql.
 */
export async function readStatement(
  connection: DuckDBConnection,
  query: string,
): Promise<SqlReads & { statement: string }> {
  const parsed = await textOf(connection, 'json_serialize_sql($1::varchar)::varchar', query);
  const reads = checkStatement(JSON.parse(parsed));
  return { ...reads, statement: await textOf(connection, 'json_deserialize_sql($1::json)', parsed) };
}

async function textOf(connection: DuckDBConnection, expression: string, value: string): Promise<string> {
  const reader = await connection.runAndReadAll(`select ${expression}`, [value]);
  return String(reader.getRows()[0]?.[0]);
}
