import type { Tx } from '@switchboard/database';
import { type Directory, holdReport, type Report } from '@switchboard/directory';
import { NotFound } from '@switchboard/service-kit';

/**
 * As `requireReport`, in the transaction that stores something under the report: it is not deleted before that ends, and
 * takes along what is stored.
 */
export async function requireHeldReport(tx: Tx, projectId: string, reportId: string): Promise<Report> {
  const report = await holdReport(tx, projectId, reportId);
  if (report === undefined) throw new NotFound('Report not found.');
  return report;
}

/** The report from the directory. Throws NotFound. */
export async function requireReport(
  directory: Pick<Directory, 'report'>,
  projectId: string,
  reportId: string,
): Promise<Report> {
  const report = await directory.report(projectId, reportId);
  if (report === undefined) throw new NotFound('Report not found.');
  return report;
}
