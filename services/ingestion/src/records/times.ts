/** A smaller difference does not indicate a wrong clock. */
const MAX_DEVIATION_MS = 60_000;
/** How long a client may resend a batch unchanged. Repeated events are recognised for as long. */
const MAX_RETRY_MS = 7 * 86_400_000;

const MIN_TIME = Date.parse('0001-01-01T00:00:00Z');
const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const CANONICAL_LENGTH = '2026-03-01T09:30:00.000Z'.length;

/**
 * Returns the milliseconds to add to the client's times. A `sent_at` in the future can only come from a wrong
 * clock. One in the past can also come from a batch that is resent unchanged with correct times. It is
 * corrected only if it is older than any retry.
 */
export function clockCorrection(sentAt: string, receivedAt: Date): number {
  const age = receivedAt.getTime() - Date.parse(sentAt);
  return age < -MAX_DEVIATION_MS || age > MAX_RETRY_MS ? age : 0;
}

/** Converts an RFC 3339 time plus a correction to UTC with milliseconds, clamped to the years 0001 to 9999. */
export function utcTime(timestamp: string, correctionMs = 0): string {
  if (correctionMs === 0 && isCanonical(timestamp)) return timestamp;
  const moved = Date.parse(timestamp) + correctionMs;
  return new Date(Math.min(MAX_TIME, Math.max(MIN_TIME, moved))).toISOString();
}

/** Whether a valid RFC 3339 time is already in UTC with milliseconds, as JavaScript writes it. */
function isCanonical(timestamp: string): boolean {
  return timestamp.length === CANONICAL_LENGTH && timestamp.endsWith('Z') && timestamp.charAt(10) === 'T';
}
