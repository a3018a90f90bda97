import { isDeepStrictEqual } from 'node:util';
import type { FlagEntry } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { brokenPrerequisites, validateFlag } from '@switchboard/flag-engine';
import { auditDetails, BadRequest, Conflict } from '@switchboard/service-kit';
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
 * that it is made for, Conflict if another flag requires what it would no longer serve, and what `next` throws.
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
    if (stored !== undefined) requireDependents(stored, flag, existing);
    auditDetails({ before: stored, after: flag, reason: change.reason });
    const hasChanged = !isDeepStrictEqual(stored, flag);
    if (hasChanged) {
      await (flag === undefined ? locked.remove(projectId, key) : locked.save(projectId, flag));
      await versions.record(flag ?? null, change);
    }
    return { result: etagOf(versions.version()), hasChanged };
  });
}

const MAX_NAMED = 5;

/** Throws Conflict if another flag has a prerequisite that the flag fulfils and would not fulfil after the change. */
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
