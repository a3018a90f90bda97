import type { Directory, Report } from '@switchboard/directory';
import { NotFound } from '@switchboard/service-kit';

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
