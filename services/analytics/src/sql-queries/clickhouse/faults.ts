import { ClickHouseError } from '@clickhouse/client';
import { isKnownError } from '../../engine/clickhouse-requests.ts';

/** Errors that a checked query cannot cause. */
const OF_SERVER = new Set([
  'ACCESS_DENIED',
  'ALL_REPLICAS_ARE_STALE',
  'AUTHENTICATION_FAILED',
  'CANNOT_ALLOCATE_MEMORY',
  'CORRUPTED_DATA',
  'READONLY',
  'UNKNOWN_DATABASE',
  'UNKNOWN_SETTING',
  'UNKNOWN_TABLE',
]);

/** Errors that ClickHouse finds before it reads data. Their messages name columns, functions and types. */
const OF_TEXT = new Set([
  'AMBIGUOUS_COLUMN_NAME',
  'AMBIGUOUS_IDENTIFIER',
  'BAD_QUERY_PARAMETER',
  'ILLEGAL_AGGREGATION',
  'ILLEGAL_COLUMN',
  'ILLEGAL_TYPE_OF_ARGUMENT',
  'INVALID_JOIN_ON_EXPRESSION',
  'MULTIPLE_EXPRESSIONS_FOR_ALIAS',
  'NOT_AN_AGGREGATE',
  'NO_COMMON_TYPE',
  'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
  'NUMBER_OF_COLUMNS_DOESNT_MATCH',
  'SYNTAX_ERROR',
  'TOO_FEW_ARGUMENTS_FOR_FUNCTION',
  'TOO_MANY_ARGUMENTS_FOR_FUNCTION',
  'TYPE_MISMATCH',
  'UNION_ALL_RESULT_STRUCTURES_MISMATCH',
  'UNKNOWN_AGGREGATE_FUNCTION',
  'UNKNOWN_FUNCTION',
  'UNKNOWN_IDENTIFIER',
  'UNKNOWN_TYPE',
  'UNSUPPORTED_METHOD',
]);
const MAX_MESSAGE = 500;
/** The point from which a message repeats the query or lists all possible syntax. */
const UNHELPFUL = /[.:,]? +(?:in scope|while executing|while processing|stack trace|expected one of)\b/i;

/** Returns why ClickHouse refuses a query, or undefined if the query is not the reason. */
export function faultOf(error: unknown): string | undefined {
  if (!(error instanceof ClickHouseError)) return undefined;
  const { type = '', message } = error;
  if (OF_SERVER.has(type) || isKnownError(type)) return undefined;
  if (/not supported by parseQueryToJSON/.test(message)) return 'only SELECT can run';
  // Other messages quote values, and the query with the views.
  if (!OF_TEXT.has(type)) return `ClickHouse cannot compute it: ${type}`;
  const [fault = ''] = message.split(UNHELPFUL, 1);
  const [hint = ''] = /Maybe you meant: \[[^\]]*\]/.exec(message) ?? [];
  return [
    `ClickHouse: ${fault.replaceAll(/__table\d+\./g, '').trim()}`,
    ...(fault.includes(hint) ? [] : [hint]),
  ]
    .join('. ')
    .slice(0, MAX_MESSAGE)
    .toWellFormed();
}
