import type { Tx } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { requireHeldReport, requireReport } from '../directory/reports.ts';

/** The kind of thing that a public link shows. */
export interface LinkSubject {
  /** The noun in errors. */
  noun: 'report' | 'dashboard';
  /** Throws NotFound. */
  require(projectId: string, id: string): Promise<void>;
  /** Keeps the subject as it is until the transaction ends. Throws NotFound, or Conflict if it cannot be shared. */
  hold(tx: Tx, projectId: string, id: string): Promise<void>;
  /** Returns the context with which the token of a link is encrypted. */
  contextOf(projectId: string, id: string): string;
}

/** Reports, as subjects of public links. */
export const reportsAsSubject = (directory: Pick<Directory, 'report'>): LinkSubject => ({
  noun: 'report',
  async require(projectId, id) {
    await requireReport(directory, projectId, id);
  },
  async hold(tx, projectId, id) {
    await requireHeldReport(tx, projectId, id);
  },
  contextOf: (projectId, id) => JSON.stringify([projectId, id]),
});
