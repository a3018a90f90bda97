import type { Client } from '@switchboard/management';
import { changeOrRequest } from './change-or-request.ts';
import type { Definition } from './words.ts';

/** A change of a flag that a person made on a page. */
export interface FlagChange {
  projectId: string;
  key: string;
  definition: Definition;
  /** Empty: no reason. */
  reason: string;
  /** The version that the person saw. Undefined for a flag without a history. */
  version: number | 'new' | undefined;
  /** The time of a scheduled change, in the format of the API. */
  at?: string | undefined;
}

/**
 * Saves or schedules a change of a flag, or requests it where others must approve it. Returns whether it was made.
 * Fails if the flag is no longer at the version that the person saw, or if a new one exists already.
 */
export async function saveFlag(client: Client, change: FlagChange): Promise<boolean> {
  const { projectId, key, definition, version, at } = change;
  const reason = change.reason === '' ? {} : { reason: change.reason };
  const seen = typeof version === 'number' ? version : undefined;
  const body = { key, flag: definition, ...reason, ...(seen !== undefined && { ifVersion: seen }) };
  const make = () =>
    at === undefined
      ? client.call('putFlag', {
          params: { projectId, key },
          query: reason,
          headers:
            version === 'new'
              ? { 'If-None-Match': '*' }
              : seen === undefined
                ? {}
                : { 'If-Match': `"${seen}"` },
          body: definition,
        })
      : client.call('scheduleFlagChange', { params: { projectId }, body: { ...body, at } });
  return changeOrRequest(client, projectId, { make, asked: { ...body, ...(at !== undefined && { at }) } });
}
