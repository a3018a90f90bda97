import { useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

const REFRESH_MS = 10_000;

/** Reads the threads of a report, which also marks their mentions as read. */
export function useReportThreads(reportId: string | undefined) {
  const { project, may } = usePlace();
  return useCall(
    ['listThreads', project.id, reportId],
    (client, options) =>
      client.call('listThreads', { params: { projectId: project.id, reportId: reportId ?? '' } }, options),
    { enabled: reportId !== undefined && may('comments.read'), refreshMs: REFRESH_MS },
  );
}
