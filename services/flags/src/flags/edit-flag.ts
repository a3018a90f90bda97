import { isDeepStrictEqual } from 'node:util';
import type { FlagEntry } from '@switchboard/contracts';
import type { Transactor, Tx } from '@switchboard/database';
import { brokenPrerequisites, validateFlag } from '@switchboard/flag-engine';
import { type AuditedChange, BadRequest, Conflict } from '@switchboard/http';
import { type Edit, etagOf, openHistory } from '../flag-history/history.ts';
import { type EditOptions, editRuleset } from '../rulesets/edit.ts';
import { createFlagsStore } from './store.ts';

export interface FlagPath {
  projectId: string;
  key: string;
}

/** Returns the new state of a flag, given the flags of its project. Undefined deletes the flag. */
export type Next = (
  existing: readonly FlagEntry[],
  tx: Tx,
) => FlagEntry | undefined | Promise<FlagEntry | undefined>;

/**
 * Edits one flag, records its version, describes the edit for the audit entry and returns the flag's ETag. Throws PreconditionFailed if the flag is not in the
 * expected state, Conflict if the edit breaks a prerequisite of another flag, and the errors of `next`.
 */
export function editFlag(
  within: Transactor & Partial<Pick<AuditedChange, 'describe'>>,
  options: EditOptions,
  { projectId, key }: FlagPath,
  edit: Edit,
  next: Next,
): Promise<string> {
  return editRuleset(within, options, projectId, async (tx) => {
    const locked = createFlagsStore(tx);
    const existing = await locked.list(projectId);
    const stored = existing.find((flag) => flag.key === key);
    const versions = await openHistory(tx, { projectId, key, stored });
    versions.require(edit.ifMatch);
    const flag = await next(existing, tx);
    if (stored !== undefined) requireDependents(stored, flag, existing);
    within.describe?.({ before: stored, after: flag, reason: edit.reason });
    const hasChanged = !isDeepStrictEqual(stored, flag);
    if (hasChanged) {
      await (flag === undefined ? locked.remove(projectId, key) : locked.save(projectId, flag));
      await versions.record(flag ?? null, edit);
    }
    return { result: etagOf(versions.version()), hasChanged };
  });
}

const MAX_NAMED = 5;

/** Throws Conflict if another flag has a prerequisite that the flag fulfils now but not after the change. */
function requireDependents(
  before: FlagEntry,
  after: FlagEntry | undefined,
  existing: readonly FlagEntry[],
): void {
  const broken = brokenPrerequisites(before, after, existing);
  if (broken.length === 0) return;
  const named = broken
    .slice(0, MAX_NAMED)
    .map(({ dependentKey, variationKey }) =>
      after === undefined ? `"${dependentKey}"` : `"${dependentKey}" (variation "${variationKey}")`,
    );
  const more = broken.length > MAX_NAMED ? ` and ${broken.length - MAX_NAMED} more` : '';
  throw new Conflict(
    `The flag is a prerequisite of ${named.join(', ')}${more}. Change or delete those flags first.`,
  );
}

/** Limited because all flags of a project are in memory at once. */
const MAX_FLAGS = 5_000;

/** Throws BadRequest if the flag conflicts with the project's other flags, or if the project has too many flags. */
export function requireValid(flag: FlagEntry, existing: readonly FlagEntry[]): FlagEntry {
  if (existing.length >= MAX_FLAGS && !existing.some(({ key }) => key === flag.key))
    throw new BadRequest(`A project has at most ${MAX_FLAGS.toLocaleString('en')} flags. Delete some first.`);
  const [fault] = validateFlag(flag, existing);
  if (fault !== undefined) throw new BadRequest(`${fault.path}: ${fault.problem}`);
  return flag;
}
