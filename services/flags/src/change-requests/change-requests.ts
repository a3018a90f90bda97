import { isDeepStrictEqual } from 'node:util';
import {
  type ChangeRequest,
  type ChangeRequestDefinition,
  decideChangeRequest,
  type FlagEntry,
} from '@switchboard/contracts';
import { newId, type Tx } from '@switchboard/database';
import type { Directory, Project } from '@switchboard/directory';
import { validateFlag } from '@switchboard/flag-engine';
import {
  type AuditedChange,
  BadRequest,
  Conflict,
  decodePlace,
  encodePlace,
  Forbidden,
  type Grant,
  NotFound,
  type PageRequest,
  PreconditionFailed,
  requireStillGranted,
  toPage,
} from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { createFlagHistoryStore } from '../flag-history/store.ts';
import {
  type EditFlagOptions,
  editLockedFlag,
  flagAfter,
  type Next,
  requireDependents,
} from '../flags/edit-flag.ts';
import { createFlagsStore } from '../flags/store.ts';
import { promotionOf } from '../promotions/promote.ts';
import { editRuleset } from '../rulesets/edit.ts';
import { addScheduled, timeOf } from '../scheduled-changes/scheduled-changes.ts';
import { isUnreadBy, neededFor, presentRequest, stateOfRequest } from './present.ts';
import {
  type ApprovalRow,
  type ChangeRequestsStore,
  createChangeRequestsStore,
  type RequestRow,
} from './store.ts';

/** The caller of an operation. A service token is not a person. */
export interface Caller {
  grant: Grant;
  isPerson: boolean;
}

export interface Decision {
  decision: 'approve' | 'reject' | 'withdraw';
  note?: string | undefined;
}

interface Listing extends PageRequest {
  key?: string | undefined;
  state?: 'waiting' | 'closed' | 'current' | undefined;
  /** The person who lists. */
  sub: string;
}

/** Changes of flags that wait for the approval of others. */
export interface ChangeRequests {
  /**
   * Opens a request, or returns the waiting one for the same change by the same author. Throws the errors of the
   * change itself, and Conflict if too many requests wait.
   */
  request(
    change: AuditedChange,
    projectId: string,
    definition: ChangeRequestDefinition,
    grant: Grant,
  ): Promise<ChangeRequest>;
  /** Returns requests, newest first. Throws BadRequest for a cursor that no page returned. */
  list(
    projectId: string,
    listing: Listing,
  ): Promise<{ requests: ChangeRequest[]; nextCursor: string | null }>;
  /** Returns the number of waiting requests that the person may still approve. */
  countToDecide(projectId: string, sub: string): Promise<number>;
  /** Returns the number of requests of the person that were closed by others or expired, and that they have not read. */
  countToRead(projectId: string, sub: string): Promise<number>;
  /** Returns a request, and marks its outcome as read if `sub` is its author. Throws NotFound. */
  get(projectId: string, id: string, sub: string): Promise<ChangeRequest>;
  /**
   * Approves, rejects or withdraws a request. The last approval makes the change. Throws Forbidden if the caller may
   * not make this decision, Conflict if the request does not wait or its change can no longer be made.
   */
  decide(
    change: AuditedChange,
    projectId: string,
    id: string,
    decision: Decision,
    caller: Caller,
  ): Promise<ChangeRequest>;
}

const MAX_PER_PROJECT = 100;
const MAX_PER_FLAG = 10;
const KEPT_CLOSED = 200;
const EXPIRES_AFTER_MS = 30 * 24 * 3_600_000;

interface ChangeRequestsOptions extends EditFlagOptions {
  clock: Clock;
  directory: Directory;
}

export function createChangeRequests(options: ChangeRequestsOptions): ChangeRequests {
  const { database, directory, clock } = options;
  const store = createChangeRequestsStore(database.drizzle);

  async function present(projectId: string, rows: readonly RequestRow[], sub: string) {
    const approvals = Map.groupBy(
      await store.approvals(rows.map(({ id }) => id)),
      ({ requestId }) => requestId,
    );
    const approvalsOf = await options.approvalsOf(projectId);
    return rows.map((row) =>
      presentRequest(row, { approvals: approvals.get(row.id) ?? [], approvalsOf, now: clock.now(), sub }),
    );
  }

  async function presentOne(row: RequestRow, sub: string): Promise<ChangeRequest> {
    const [one] = await present(row.projectId, [row], sub);
    if (one === undefined) throw new Error('nothing was presented');
    return one;
  }

  async function found(projectId: string, id: string): Promise<RequestRow> {
    const row = await store.find(projectId, id);
    if (row === undefined) throw new NotFound('Change request not found.');
    return row;
  }

  async function nextOf(
    projectId: string,
    { key, flag, patch, from }: ChangeRequestDefinition,
  ): Promise<Next> {
    if (from !== undefined) return promotionOf(database.drizzle, { projectId: from, key }, projectId);
    if (flag === null) return () => undefined;
    return (existing) => flagAfter(key, { flag: flag ?? null, patch: patch ?? null }, existing);
  }

  /** Returns the approvers who may no longer change flags. */
  async function lostApprovals(row: RequestRow, project: Project): Promise<string[]> {
    const lost: string[] = [];
    for (const approval of await store.approvals([row.id]))
      if (!(await isStillGranted(approval, project, directory))) lost.push(approval.sub);
    return lost;
  }

  async function requireAuthor({ author, ...row }: RequestRow, project: Project): Promise<string> {
    if (author !== null && (await isStillGranted({ ...row, sub: author }, project, directory))) return author;
    throw new Conflict(
      'The author of the request may no longer change flags. Reject it, and request the change yourself.',
    );
  }

  return {
    async request(change, projectId, definition, { sub: author, tokenId, everywhere }) {
      const { key, patch, reason = null, ifVersion } = definition;
      const at = definition.at === undefined ? null : timeOf(definition.at, clock);
      const next = await nextOf(projectId, definition);
      const now = clock.now().getTime();
      const expiresAt = new Date(Math.min(now + EXPIRES_AFTER_MS, at?.getTime() ?? Infinity));
      const row = await editRuleset(change, options, projectId, async (tx) => {
        const state = await stateOf(tx, projectId, key);
        if (ifVersion !== undefined && ifVersion !== state.version)
          throw new PreconditionFailed(
            `ifVersion: the flag is at version ${state.version}. Read it again and repeat your request.`,
          );
        const after = (await next(state.existing, tx)) ?? null;
        if (isDeepStrictEqual(after, state.before))
          throw new BadRequest(
            after === null
              ? 'flag: the flag does not exist'
              : 'flag: nothing changes; the flag has this state',
          );
        requireDependents(state.before ?? undefined, after ?? undefined, state.existing);
        const locked = createChangeRequestsStore(tx);
        const waiting = await locked.waiting(projectId);
        const result =
          waiting.find(
            (one) =>
              one.key === key && one.author === author && isDeepStrictEqual([one.after, one.at], [after, at]),
          ) ??
          (await add(locked, waiting, {
            id: newId('chr'),
            projectId,
            key,
            version: state.version,
            before: state.before,
            after,
            at,
            patch: at === null ? null : (patch ?? null),
            reason,
            author,
            tokenId,
            everywhere,
            expiresAt,
          }));
        change.describe({
          object: `change-request:${result.id}`,
          before: { key, flag: state.before },
          after: { key, flag: after, at },
          reason: reason ?? undefined,
        });
        return { result, hasChanged: false };
      });
      return presentOne(row, author);
    },

    async list(projectId, { key, state, sub, cursor, limit }) {
      const after = cursor === undefined ? undefined : decodePlace(cursor, 'chr');
      const rows = await store.list(projectId, { key, state, sub, after, limit: limit + 1 });
      const page = toPage(rows, limit, ({ id, createdAt }) => encodePlace({ id, at: createdAt }));
      const requests = await present(projectId, page.rows, sub);
      return { requests, nextCursor: page.nextCursor };
    },

    countToDecide: store.countToDecide,

    countToRead: store.countToRead,

    async get(projectId, id, sub) {
      const row = await found(projectId, id);
      const isUnread = isUnreadBy(sub, row, clock.now());
      if (isUnread) await store.markRead(id);
      return presentOne({ ...row, isRead: row.isRead || isUnread }, sub);
    },

    async decide(change, projectId, id, { decision, note }, { grant, isPerson }) {
      const project = await directory.project(projectId);
      if (project === undefined) throw new NotFound('Project not found.');
      const request = await found(projectId, id);
      requireDecider(request, decision, grant.sub, isPerson);
      // Looked up before the lock is taken, because a look-up may need another connection.
      const author = decision === 'approve' ? await requireAuthor(request, project) : '';
      const lost = decision === 'approve' ? await lostApprovals(request, project) : [];
      const approvals = await options.approvalsOf(projectId);
      const row = await editRuleset(change, options, projectId, async (tx) => {
        const locked = createChangeRequestsStore(tx);
        const waiting = await locked.find(projectId, id);
        if (waiting === undefined) throw new NotFound('Change request not found.');
        const state = stateOfRequest(waiting, clock.now());
        if (state !== 'waiting') throw new Conflict(`The change request is ${state}.`);
        const hasChanged =
          decision === 'approve' && (await approve(tx, { ...waiting, author }, { lost, approvals, grant }));
        if (decision !== 'approve') {
          const as = decision === 'reject' ? 'rejected' : 'withdrawn';
          await locked.close([id], { as, by: grant.sub, note: note ?? null });
        }
        const decided = (await locked.find(projectId, id)) ?? waiting;
        describe(change, decided, decision, note, await locked.approvals([id]));
        return { result: decided, hasChanged };
      });
      return presentOne(row, grant.sub);
    },
  };

  /** Adds an approval, and makes the change if it was the last one. Returns whether a flag changed. */
  async function approve(
    tx: Tx,
    row: RequestRow & { author: string },
    { lost, approvals, grant }: { lost: string[]; approvals: number; grant: Grant },
  ): Promise<boolean> {
    const locked = createChangeRequestsStore(tx);
    if (lost.length > 0) await locked.removeApprovals(row.id, lost);
    await locked.approve({ requestId: row.id, ...grant });
    const approvedBy = (await locked.approvals([row.id])).map(({ sub }) => sub);
    if (approvedBy.length < neededFor(row, approvals)) return false;
    const { version } = await stateOf(tx, row.projectId, row.key);
    if (version !== row.version)
      throw new Conflict(
        `The flag is at version ${version}. Reject the request, and request the change again.`,
      );
    await locked.close([row.id], { as: 'approved', by: grant.sub, note: null });
    const { projectId, key, author, reason, tokenId, everywhere, at, patch, after } = row;
    if (at !== null) {
      const definition = patch === null && after !== null ? definitionOf(after) : null;
      const scheduled = { projectId, key, at, definition, patch, reason, author, tokenId, everywhere };
      await addScheduled(tx, { ...scheduled, id: newId('sch'), approvedBy });
      return false;
    }
    const edit = { author, reason: reason ?? undefined, approvedBy };
    await editLockedFlag(tx, { ...options, approvals: 0 }, { projectId, key }, edit, (existing) =>
      after === null ? undefined : requireStillValid(after, existing),
    );
    return true;
  }
}

async function add(
  store: ChangeRequestsStore,
  waiting: readonly RequestRow[],
  row: Parameters<ChangeRequestsStore['add']>[0],
): Promise<RequestRow> {
  if (waiting.length >= MAX_PER_PROJECT)
    throw new Conflict(`The project has ${MAX_PER_PROJECT} waiting change requests. Withdraw one first.`);
  if (waiting.filter(({ key }) => key === row.key).length >= MAX_PER_FLAG)
    throw new Conflict(`The flag has ${MAX_PER_FLAG} waiting change requests. Withdraw one first.`);
  await store.prune(row.projectId, KEPT_CLOSED);
  return store.add(row);
}

/** Returns the flags of a project with a locked ruleset, and the state and version of one of them. */
async function stateOf(tx: Tx, projectId: string, key: string) {
  const existing = await createFlagsStore(tx).list(projectId);
  const [latest] = await createFlagHistoryStore(tx).list(projectId, key, 1);
  const before = existing.find((flag) => flag.key === key) ?? null;
  return { existing, before, version: latest?.version ?? 0 };
}

async function isStillGranted(grant: Grant, project: Project, directory: Directory): Promise<boolean> {
  try {
    await requireStillGranted(grant, decideChangeRequest.permission, project, directory);
    return true;
  } catch (error) {
    if (error instanceof Forbidden) return false;
    throw error;
  }
}

function requireDecider(
  { author }: RequestRow,
  decision: Decision['decision'],
  sub: string,
  isPerson: boolean,
): void {
  if (decision === 'withdraw') {
    if (author !== sub) throw new Forbidden('Only its author withdraws a change request. Reject it instead.');
    return;
  }
  if (author === sub)
    throw new Forbidden('Your own change requests need the approval of others. Withdraw it instead.');
  if (!isPerson)
    throw new Forbidden('A service token cannot approve or reject. Sign in, or use a personal access token.');
}

function requireStillValid(flag: FlagEntry, existing: readonly FlagEntry[]): FlagEntry {
  const [fault] = validateFlag(flag, existing);
  if (fault === undefined) return flag;
  throw new Conflict(`The change conflicts with the current flags. ${fault.path}: ${fault.problem}`);
}

function definitionOf({ key: _, ...definition }: FlagEntry) {
  return definition;
}

function describe(
  change: AuditedChange,
  row: RequestRow,
  decision: Decision['decision'],
  note: string | undefined,
  approvals: readonly ApprovalRow[],
): void {
  const state = row.closedAs ?? 'waiting';
  const { key, before, after, at } = row;
  const approvedBy = approvals.map(({ sub }) => sub);
  change.describe({
    before: { key, state: 'waiting', flag: before },
    after: { key, decision, state, flag: after, at, author: row.author, approvedBy },
    reason: note,
  });
}
