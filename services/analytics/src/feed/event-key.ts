import { hash } from 'node:crypto';

/** A compact key of a project's event: 128 bits of SHA-256, in the form of a UUID. */
export function eventKey(projectId: string, eventId: string): string {
  // No id contains NUL.
  const digits = hash('sha256', `${projectId}\0${eventId}`, 'hex');
  return digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
