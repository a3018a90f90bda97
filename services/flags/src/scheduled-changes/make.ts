import { auditObject, putFlag } from '@switchboard/contracts';
import { isUnavailable } from '@switchboard/database';
import { type Directory, DirectoryUnavailable, type Project } from '@switchboard/directory';
import { type AuditTrail, Forbidden, NotFound, Rejection, requireStillGranted } from '@switchboard/http';
import { poll } from '@switchboard/resilience';
import type { Logger, Metrics } from '@switchboard/runtime';
import { etagOf } from '../flag-history/history.ts';
import { type EditFlagOptions, editFlag, flagAfter } from '../flags/edit-flag.ts';
import { createScheduledChangesStore, type ScheduledRow } from './store.ts';

const POLL_MS = 1_000;
const MAX_AT_ONCE = 100;

interface MakingOptions extends EditFlagOptions {
  directory: Directory;
  region: string;
  audit: Pick<AuditTrail, 'scheduled'>;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
}

/** Applies each scheduled change once when it is due: the transaction that changes the flag also removes it. */
export interface Making {
  /** Returns immediately. */
  start(): void;
  /** Waits for the change that is being applied. */
  stop(): Promise<void>;
}

/** Thrown if another instance applied the change, or if it was cancelled. */
class Gone extends Error {}

export function createMaking(options: MakingOptions): Making {
  const { logger, metrics, database, directory, region, audit } = options;
  const failures = metrics.counter(
    'switchboard_scheduled_changes_failed_total',
    'Scheduled changes of flags that failed.',
  );
  const store = createScheduledChangesStore(database.drizzle);
  const stopping = new AbortController();
  let loop: Promise<void> | undefined;

  async function make(change: ScheduledRow): Promise<void> {
    const { id, projectId } = change;
    const project = await directory.project(projectId);
    try {
      if (project?.region !== region) throw new NotFound('The project was deleted.');
      const author = await requireAuthor(change, project);
      await apply(change, project, author);
    } catch (error) {
      if (error instanceof Gone) return;
      if (isUnavailable(error) || error instanceof DirectoryUnavailable) throw error;
      // If another instance was first, this attempt may fail, but there is no change left to mark as failed.
      if (!(await fail(change, project, error))) return;
      failures.add();
      logger.warn({ error, projectId, change: id }, 'scheduled change of a flag failed');
    }
  }

  /** Returns the author of a scheduled change. Throws Forbidden unless they may change the flag now. */
  async function requireAuthor(
    { author, tokenId, everywhere }: ScheduledRow,
    project: Project,
  ): Promise<string> {
    if (author === null) throw new Forbidden('The author of the change was erased.');
    const grant = { sub: author, tokenId, everywhere };
    await requireStillGranted(grant, putFlag.permission, project, directory);
    return author;
  }

  async function apply(change: ScheduledRow, project: Project, author: string): Promise<void> {
    const ifMatch = change.ifVersion === null ? undefined : etagOf(change.ifVersion);
    const reason = change.reason ?? undefined;
    // A change is approved when it is scheduled.
    const edit = { author, reason, ifMatch, approvedBy: change.approvedBy ?? [] };
    await editFlag(database.drizzle, options, change, edit, async (existing, tx) => {
      if (!(await createScheduledChangesStore(tx).take(change.id))) throw new Gone();
      const after = flagAfter(change.key, { flag: change.definition, patch: change.patch }, existing);
      const before = existing.find(({ key }) => key === change.key);
      await audit.scheduled(tx, { ...workOf(change, project), outcome: 'allowed', before, after, reason });
      return after;
    });
  }

  /** Marks a change as failed. Returns false if it was already applied or cancelled. */
  function fail(change: ScheduledRow, project: Project | undefined, error: unknown): Promise<boolean> {
    const failure = error instanceof Rejection ? error.message : 'Internal error.';
    return database.drizzle.transaction(async (tx) => {
      const hasFailed = await createScheduledChangesStore(tx).fail(
        change.id,
        failure.replace('If-Match', 'ifVersion'),
      );
      if (hasFailed && project !== undefined && error instanceof Forbidden)
        await audit.scheduled(tx, { ...workOf(change, project), outcome: 'refused' });
      return hasFailed;
    });
  }

  async function look(): Promise<void> {
    /** Errors by project. Later changes wait for one that could not be attempted, to stay in order. */
    const held = new Map<string, unknown>();
    for (const change of await store.due(MAX_AT_ONCE)) {
      if (stopping.signal.aborted) return;
      if (held.has(change.projectId)) continue;
      await make(change).catch((error: unknown) => held.set(change.projectId, error));
    }
    const [failure] = held.values();
    if (held.size > 0) throw failure;
  }

  return {
    start() {
      loop ??= poll(look, {
        everyMs: POLL_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('apply scheduled changes', error),
      });
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

function workOf({ id, projectId, key }: ScheduledRow, { companyId }: Project) {
  const object = auditObject(putFlag.path, (name) => (name === 'key' ? key : projectId));
  return { scheduledBy: id, action: 'applyScheduledChange', object, companyId, projectId };
}
