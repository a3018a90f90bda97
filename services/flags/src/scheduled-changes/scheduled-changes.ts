import type { ScheduledChange, ScheduledChangeDefinition } from '@switchboard/contracts';
import { newId, type Tx } from '@switchboard/database';
import {
  type AuditedChange,
  BadRequest,
  Conflict,
  decodePlace,
  encodePlace,
  type Grant,
  NotFound,
  type PageRequest,
  toPage,
} from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { ApprovalRequired, type EditFlagOptions } from '../flags/edit-flag.ts';
import { editRuleset } from '../rulesets/edit.ts';
import { createScheduledChangesStore, type NewScheduledRow, type ScheduledRow } from './store.ts';

/** Changes of flags that are scheduled for later. */
export interface ScheduledChanges {
  /** Throws BadRequest for a time in the past or more than a year ahead, Conflict if the project has too many. */
  schedule(
    change: AuditedChange,
    projectId: string,
    definition: ScheduledChangeDefinition,
    grant: Grant,
  ): Promise<ScheduledChange>;
  /** Returns pending and failed changes, sorted by time. Throws BadRequest for a cursor that no page returned. */
  list(
    projectId: string,
    page: PageRequest & { key?: string | undefined },
  ): Promise<{ changes: ScheduledChange[]; nextCursor: string | null }>;
  /** Throws NotFound, also for a change that was already applied. */
  cancel(change: AuditedChange, projectId: string, id: string): Promise<void>;
}

const MAX_PER_PROJECT = 100;
const MAX_AHEAD_MS = 366 * 24 * 3_600_000;

export function createScheduledChanges(
  options: Omit<EditFlagOptions, 'onEdited'> & { clock: Clock },
): ScheduledChanges {
  const store = createScheduledChangesStore(options.database.drizzle);
  return {
    async schedule(change, projectId, { key, at, flag, patch, reason, ifVersion }, grant) {
      const time = timeOf(at, options.clock);
      const approvals = await options.approvalsOf(projectId);
      if (approvals > 0) throw new ApprovalRequired(approvals);
      const { sub: author, tokenId, everywhere } = grant;
      const id = newId('sch');
      change.describe({
        object: `scheduled-change:${id}`,
        after: { key, at, flag, patch, ifVersion },
        reason,
      });
      const row = { id, projectId, key, at: time, reason, ifVersion, author, tokenId, everywhere };
      const added = await editRuleset(change, options, projectId, async (tx) => {
        const result = await addScheduled(tx, { ...row, definition: flag ?? null, patch: patch ?? null });
        return { result, hasChanged: false };
      });
      return present(added);
    },

    async list(projectId, { key, cursor, limit }) {
      const after = cursor === undefined ? undefined : decodePlace(cursor, 'sch');
      const found = await store.list(projectId, { key, after, limit: limit + 1 });
      const { rows, nextCursor } = toPage(found, limit, encodePlace);
      return { changes: rows.map(present), nextCursor };
    },

    async cancel(change, projectId, id) {
      await change.transaction(async (tx) => {
        const removed = await createScheduledChangesStore(tx).remove(projectId, id);
        if (removed === undefined)
          throw new NotFound('Scheduled change not found. It may have been applied already.');
        change.describe({ before: present(removed) });
      });
    },
  };
}

/** Returns the time of a change. Throws BadRequest for one in the past or more than a year ahead. */
export function timeOf(at: string, clock: Clock): Date {
  const time = new Date(at);
  const ahead = time.getTime() - clock.now().getTime();
  if (ahead <= 0) throw new BadRequest('at: in the past; change the flag directly');
  if (ahead > MAX_AHEAD_MS) throw new BadRequest('at: more than a year ahead');
  return time;
}

/** Adds a change of a project with a locked ruleset. Throws Conflict if the project has too many. */
export async function addScheduled(tx: Tx, row: NewScheduledRow): Promise<ScheduledRow> {
  const locked = createScheduledChangesStore(tx);
  if ((await locked.count(row.projectId)) >= MAX_PER_PROJECT) {
    throw new Conflict(
      `The project has ${MAX_PER_PROJECT} scheduled changes, including failed ones. Cancel one first.`,
    );
  }
  return locked.add(row);
}

function present(row: ScheduledRow): ScheduledChange {
  const { id, key, at, definition, patch, reason, ifVersion, author, createdAt, approvedBy } = row;
  const { failedAt, failure } = row;
  return {
    id,
    key,
    at: at.toISOString(),
    ...(definition === null ? {} : { flag: definition }),
    ...(patch === null ? {} : { patch }),
    ...(reason === null ? {} : { reason }),
    ...(ifVersion === null ? {} : { ifVersion }),
    author,
    createdAt: createdAt.toISOString(),
    ...(approvedBy && { approvedBy }),
    failure: failedAt === null ? null : { failedAt: failedAt.toISOString(), message: failure ?? '' },
  };
}
