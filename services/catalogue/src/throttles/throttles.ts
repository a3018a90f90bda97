import type { Throttle } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { type AuditedChange, NotFound, type PageRequest } from '@switchboard/http';
import type { Outbox } from '../outbox/outbox.ts';
import { projectNotFound } from '../projects/projects.ts';
import { createProjectsStore } from '../projects/store.ts';
import { projectRecord } from '../records/projects.ts';
import { createThrottlesStore, type ThrottleRow } from './store.ts';

/**
 * The limits that operators set for projects. The directory entry of a project carries its limit to every
 * region.
 */
export interface Throttles {
  list(page: PageRequest): Promise<{ throttles: Throttle[]; nextCursor: string | null }>;
  /** Throws NotFound when the project is not throttled. */
  get(projectId: string): Promise<Throttle>;
  /** Throws NotFound when the project does not exist. */
  put(change: AuditedChange, projectId: string, eventsPerSecond: number): Promise<Throttle>;
  remove(change: AuditedChange, projectId: string): Promise<void>;
  count(): Promise<number>;
}

interface ThrottlesOptions {
  db: Db;
  outbox: Outbox;
}

export function createThrottles({ db, outbox }: ThrottlesOptions): Throttles {
  const store = createThrottlesStore(db);
  return {
    async list(page) {
      const { rows, nextCursor } = await store.list(page);
      return { throttles: rows.map(throttleOf), nextCursor };
    },

    async get(projectId) {
      const row = await store.find(projectId);
      if (row === undefined) throw new NotFound('The project is not throttled.');
      return throttleOf(row);
    },

    put: (change, projectId, eventsPerSecond) =>
      outbox.change(change, async (tx, announce) => {
        const project = await createProjectsStore(tx).lock(projectId);
        if (project === undefined) throw projectNotFound();
        const throttles = createThrottlesStore(tx);
        const before = (await throttles.find(projectId))?.eventsPerSecond ?? null;
        change.describe({ before: { eventsPerSecond: before }, after: { eventsPerSecond } });
        const row = await throttles.put({ projectId, eventsPerSecond });
        if (row === undefined) throw new Error('the throttle was not stored');
        announce([projectRecord(project, eventsPerSecond)]);
        return throttleOf(row);
      }),

    async remove(change, projectId) {
      await outbox.change(change, async (tx, announce) => {
        const project = await createProjectsStore(tx).lock(projectId);
        const isRemoved = await createThrottlesStore(tx).remove(projectId);
        if (project !== undefined && isRemoved) announce([projectRecord(project)]);
      });
    },

    count: store.count,
  };
}

function throttleOf({ projectId, eventsPerSecond, createdAt }: ThrottleRow): Throttle {
  return { projectId, eventsPerSecond, createdAt: createdAt.toISOString() };
}
