import { useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

const REFRESH_MS = 15_000;

/** Reads the threads that concern the person, again every 15 seconds. */
export function useInbox() {
  const { project, may } = usePlace();
  return useCall(
    ['listThreadInbox', project.id],
    (client, options) => client.call('listThreadInbox', { params: { projectId: project.id } }, options),
    { enabled: may('comments.read'), refreshMs: REFRESH_MS },
  );
}
