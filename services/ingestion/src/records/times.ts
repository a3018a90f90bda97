/** A larger difference is a wrong clock; a smaller one is the time in transit. */
const MAX_TRANSIT_MS = 60_000;

const MIN_TIME = Date.parse('0000-01-01T00:00:00Z');
const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const CANONICAL_LENGTH = '2026-03-01T09:30:00.000Z'.length;

/** Milliseconds to add to the client's times: 0 unless its clock and ours differ by more than 60 s. */
export function clockCorrection(sentAt: string, receivedAt: Date): number {
  const difference = receivedAt.getTime() - Date.parse(sentAt);
  return Math.abs(difference) > MAX_TRANSIT_MS ? difference : 0;
}

/** An RFC 3339 time plus a correction, in UTC with milliseconds, clamped to the years 0000 to 9999. */
export function utcTime(timestamp: string, correctionMs = 0): string {
  if (correctionMs === 0 && isCanonical(timestamp)) return timestamp;
  const moved = Date.parse(timestamp) + correctionMs;
  return new Date(Math.min(MAX_TIME, Math.max(MIN_TIME, moved))).toISOString();
}

/** Whether a valid RFC 3339 time is already in UTC with milliseconds, as JavaScript writes it. */
function isCanonical(timestamp: string): boolean {
  return timestamp.length === CANONICAL_LENGTH && timestamp.endsWith('Z') && timestamp.charAt(10) === 'T';
}
