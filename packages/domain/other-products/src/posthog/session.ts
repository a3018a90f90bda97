import { createHash } from 'node:crypto';
import { nonBlankTextFault } from '@switchboard/contracts';
import { type Fields, textOf } from '../fields.ts';

const MAX_ID = 200;

/**
 * Returns the session of an event or a recording. A session of PostHog has several windows, and one of ours has a
 * single tab, so each window is a session. An id that our API does not accept becomes its hash.
 */
export function sessionOf(properties: Fields): string | undefined {
  const session = textOf(properties['$session_id']);
  const window = textOf(properties['$window_id']);
  if (session === undefined) return undefined;
  const id = window === undefined ? session : `${session}.${window}`;
  return nonBlankTextFault(id, MAX_ID) === undefined ? id : createHash('sha256').update(id).digest('hex');
}
