import { useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

const REFRESH_MS = 15_000;

/** The number of change requests that wait for the person, and of theirs with an outcome that they have not read. */
export function ToDecide() {
  const { project, may } = usePlace();
  const { data } = useCall(
    ['listChangeRequests', project.id, 'toDecide'],
    (client, options) =>
      client.call(
        'listChangeRequests',
        { params: { projectId: project.id }, query: { state: 'waiting', limit: 1 } },
        options,
      ),
    { enabled: may('flags.write'), refreshMs: REFRESH_MS },
  );
  const count = data === undefined ? 0 : data.toDecide + data.toRead;
  return count === 0 ? null : count;
}
