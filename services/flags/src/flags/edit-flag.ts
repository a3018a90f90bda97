import { isDeepStrictEqual } from 'node:util';
import type { FlagEntry } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { validateFlag } from '@switchboard/flag-engine';
import { auditDetails, BadRequest } from '@switchboard/service-kit';
import { type Change, etagOf, openHistory } from '../flag-history/history.ts';
import { type EditOptions, editRuleset } from '../rulesets/edit.ts';
import { createFlagsStore } from './store.ts';

export interface FlagPath {
  projectId: string;
  key: string;
}

/** What a flag becomes, given the flags of its project; undefined: deleted. */
export type Next = (
  existing: readonly FlagEntry[],
  tx: Tx,
) => FlagEntry | undefined | Promise<FlagEntry | undefined>;

/**
 * Edits one flag and records its version; returns its ETag. Throws PreconditionFailed when the flag is not in the state
 * that it is made for, and what `next` throws.
 */
export function editFlag(
  options: EditOptions,
  { projectId, key }: FlagPath,
  change: Change,
  next: Next,
): Promise<string> {
  return editRuleset(options, projectId, async (tx) => {
    const locked = createFlagsStore(tx);
    const existing = await locked.list(projectId);
    const stored = existing.find((flag) => flag.key === key);
    const versions = await openHistory(tx, { projectId, key, stored });
    versions.require(change.ifMatch);
    const flag = await next(existing, tx);
    auditDetails({ before: stored, after: flag, reason: change.reason });
    const hasChanged = !isDeepStrictEqual(stored, flag);
    if (hasChanged) {
      await (flag === undefined ? locked.remove(projectId, key) : locked.save(projectId, flag));
      await versions.record(flag ?? null, change);
    }
    return { result: etagOf(versions.version()), hasChanged };
  });
}

/** All of a project's flags are in memory at once. */
const MAX_FLAGS = 5_000;

/** Throws BadRequest if the flag conflicts with the project's other flags, or is one too many. */
export function requireValid(flag: FlagEntry, existing: readonly FlagEntry[]): FlagEntry {
  if (existing.length >= MAX_FLAGS && !existing.some(({ key }) => key === flag.key))
    throw new BadRequest(`A project has at most ${MAX_FLAGS.toLocaleString('en')} flags. Delete some first.`);
  const [fault] = validateFlag(flag, existing);
  if (fault !== undefined) throw new BadRequest(`${fault.path}: ${fault.problem}`);
  return flag;
}
