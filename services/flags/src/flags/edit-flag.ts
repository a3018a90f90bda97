import { isDeepStrictEqual } from 'node:util';
import {
  type FlagDefinition,
  type FlagEntry,
  type FlagPatch,
  flagDefinition,
  problemsOf,
} from '@switchboard/contracts';
import type { Transactor, Tx } from '@switchboard/database';
import { brokenPrerequisites, validateFlag } from '@switchboard/flag-engine';
import { type AuditedChange, BadRequest, Conflict, NotFound, Rejection } from '@switchboard/http';
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

export interface EditFlagOptions extends EditOptions {
  /** Returns how many other people must approve a change of a flag. */
  approvalsOf(projectId: string): Promise<number>;
  /** Runs in the transaction that changes a flag. An undefined flag is deleted. */
  onEdited(tx: Tx, at: FlagPath, flag: FlagEntry | undefined): Promise<void>;
}

/**
 * Edits one flag, records its version, describes the edit for the audit entry and returns the flag's ETag. Throws
 * PreconditionFailed if the flag is not in the expected state, Conflict if the edit breaks a prerequisite of another
 * flag, ApprovalRequired for an edit that others must approve, and the errors of `next`.
 */
export async function editFlag(
  within: Transactor & Partial<Pick<AuditedChange, 'describe'>>,
  options: EditFlagOptions,
  at: FlagPath,
  edit: Edit,
  next: Next,
): Promise<string> {
  const approvals = edit.approvedBy === undefined ? await options.approvalsOf(at.projectId) : 0;
  return editRuleset(within, options, at.projectId, async (tx) => {
    const { before, after, isEmergency, version } = await editLockedFlag(
      tx,
      { ...options, approvals },
      at,
      edit,
      next,
    );
    within.describe?.({
      before,
      after: after && isEmergency ? { ...after, emergency: true } : after,
      reason: edit.reason,
    });
    return { result: etagOf(version), hasChanged: !isDeepStrictEqual(before, after) };
  });
}

interface Edited {
  before: FlagEntry | undefined;
  after: FlagEntry | undefined;
  isEmergency: boolean;
  version: number;
}

/** Edits one flag of a project with a locked ruleset, as `editFlag` does. */
export async function editLockedFlag(
  tx: Tx,
  { onEdited, approvals }: Pick<EditFlagOptions, 'onEdited'> & { approvals: number },
  at: FlagPath,
  edit: Edit,
  next: Next,
): Promise<Edited> {
  const { projectId, key } = at;
  const locked = createFlagsStore(tx);
  const existing = await locked.list(projectId);
  const before = existing.find((flag) => flag.key === key);
  const versions = await openHistory(tx, { projectId, key, stored: before });
  versions.require(edit);
  const after = await next(existing, tx);
  requireDependents(before, after, existing);
  const hasChanged = !isDeepStrictEqual(before, after);
  const isEmergency = hasChanged && approvals > 0;
  if (isEmergency && !isSwitchOff(before, after)) throw new ApprovalRequired(approvals);
  if (hasChanged) {
    await (after === undefined ? locked.remove(projectId, key) : locked.save(projectId, after));
    await versions.record(after ?? null, { ...edit, isEmergency });
  }
  if (hasChanged || after === undefined) await onEdited(tx, at, after);
  return { before, after, isEmergency, version: versions.version() };
}

/** Returns whether an edit switches a flag off and changes nothing else. */
const isSwitchOff = (before: FlagEntry | undefined, after: FlagEntry | undefined) =>
  before?.enabled === true && isDeepStrictEqual({ ...before, enabled: false }, after);

/** 409: other people must approve the change. */
export class ApprovalRequired extends Rejection {
  constructor(approvals: number) {
    super(
      409,
      'APPROVAL_REQUIRED',
      `A change of a flag in this project needs ${approvals} ${approvals === 1 ? 'approval' : 'approvals'}. Open a change request, or only switch the flag off.`,
    );
  }
}

const MAX_NAMED = 5;

/** Throws Conflict if another flag has a prerequisite that the flag fulfils now but not after the change. */
export function requireDependents(
  before: FlagEntry | undefined,
  after: FlagEntry | undefined,
  existing: readonly FlagEntry[],
): void {
  if (before === undefined) return;
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

/** Returns the state of a flag with its new definition, or with the properties of a patch. */
export function flagAfter(
  key: string,
  { flag, patch }: { flag: FlagDefinition | null; patch: FlagPatch | null },
  existing: readonly FlagEntry[],
): FlagEntry {
  if (flag !== null) return requireValid({ key, ...flag }, existing);
  const stored = existing.find((one) => one.key === key);
  if (stored === undefined) throw new NotFound('The flag to patch does not exist.');
  const value = { ...stored, ...patch };
  const { success, data, error } = flagDefinition.safeParse(value);
  if (!success) {
    const [problem] = problemsOf({ schema: flagDefinition, value, error }, { where: 'flag', most: 1 });
    throw new BadRequest(problem?.message ?? 'flag: not valid');
  }
  return requireValid({ key, ...data }, existing);
}
