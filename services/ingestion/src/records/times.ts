/** Clocks further apart than this are taken to be wrong; less is the way the request took. */
const TOLERATED_MS = 60_000;

const EARLIEST = Date.parse('0000-01-01T00:00:00Z');
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const CANONICAL_LENGTH = '2026-03-01T09:30:00.000Z'.length;

/** What to add to the client's times, in milliseconds: 0 unless its clock and ours differ by more than 60 s. */
export function clockCorrection(sentAt: string, receivedAt: Date): number {
  const difference = receivedAt.getTime() - Date.parse(sentAt);
  return Math.abs(difference) > TOLERATED_MS ? difference : 0;
}

/** An RFC 3339 time, moved by some milliseconds, in UTC with milliseconds; held within the years 0000 to 9999. */
export function utcTime(timestamp: string, correctionMs = 0): string {
  if (correctionMs === 0 && isCanonical(timestamp)) return timestamp;
  const moved = Date.parse(timestamp) + correctionMs;
  return new Date(Math.min(LATEST, Math.max(EARLIEST, moved))).toISOString();
}

/** Whether a valid RFC 3339 time is in UTC with milliseconds already, as JavaScript's clients send it. */
function isCanonical(timestamp: string): boolean {
  return timestamp.length === CANONICAL_LENGTH && timestamp.endsWith('Z') && timestamp.charAt(10) === 'T';
}
