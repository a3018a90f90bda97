import { hash } from 'node:crypto';

/** Returns a compact key of a project's event: 128 bits of SHA-256, formatted as a UUID. */
export function eventKey(projectId: string, eventId: string): string {
  // No id contains NUL.
  const digits = hash('sha256', `${projectId}\0${eventId}`, 'hex');
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
