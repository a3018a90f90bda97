import type { Directory, Report } from '@switchboard/directory';
import { NotFound } from '@switchboard/service-kit';

/** The report, as the directory knows it. Throws NotFound. */
export async function requireReport(
  directory: Pick<Directory, 'report'>,
  projectId: string,
  reportId: string,
): Promise<Report> {
  const report = await directory.report(projectId, reportId);
  if (report === undefined) throw new NotFound('There is no such report in this project.');
  return report;
}
