import type { Tx } from '@switchboard/database';
import { type Directory, holdReport, type Report } from '@switchboard/directory';
import { NotFound } from '@switchboard/http';

/**
 * Does the same as `requireReport` in a transaction that stores data of the report. The report is not deleted
 * before the transaction ends; deleting it later removes the stored data too.
 */
export async function requireHeldReport(tx: Tx, projectId: string, reportId: string): Promise<Report> {
  const report = await holdReport(tx, projectId, reportId);
  if (report === undefined) throw new NotFound('Report not found.');
  return report;
}

/** Returns the report from the directory. Throws NotFound. */
export async function requireReport(
  directory: Pick<Directory, 'report'>,
  projectId: string,
  reportId: string,
): Promise<Report> {
  const report = await directory.report(projectId, reportId);
  if (report === undefined) throw new NotFound('Report not found.');
  return report;
}
