// Error codes of postgres.js and node:net for a server that cannot be reached.
const CONNECTION_CODES = new Set([
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT', 'QUERY_TIMEOUT'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['EHOSTDOWN', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'EMFILE', 'ENFILE'],
]);

/**
 * SQLSTATEs (PostgreSQL's appendix A): connection exceptions 08, insufficient resources 53, shut down or starting
 * 57P01 to 57P05, cancelled by a time-out 57014 and 55P03, failed over to a read-only server 25006, system error 58.
 */
const SQL_STATES = /^(08...|53...|57P0[1-5]|57014|55P03|25006|58...)$/;

/** Codes of a statement that ran or waited for a lock too long. The database itself may be healthy. */
const TOO_SLOW_CODES = new Set(['QUERY_TIMEOUT', '57014', '55P03']);

/**
 * Whether an error means that the database is unavailable or too slow, so that a later attempt may succeed. Looks
 * through causes (Drizzle wraps the errors of the driver) and aggregates.
 */
export function isUnavailable(error: unknown): boolean {
  return hasCode(error, (code) => CONNECTION_CODES.has(code) || SQL_STATES.test(code));
}

/** Whether a statement took too long. `isUnavailable` is also true then, although the database may be healthy. */
export function isTooSlow(error: unknown): boolean {
  return hasCode(error, (code) => TOO_SLOW_CODES.has(code));
}

function hasCode(error: unknown, matches: (code: string) => boolean): boolean {
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 10;
    current = current.cause, depth++
  ) {
    const code = 'code' in current ? current.code : undefined;
    if (typeof code === 'string' && matches(code)) return true;
    if (current instanceof AggregateError && current.errors.some((one) => hasCode(one, matches))) return true;
  }
  return false;
}
