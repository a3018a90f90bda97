import { useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

const REFRESH_MS = 30_000;

/** The number of change requests that wait for the person. */
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
  return data === undefined || data.toDecide === 0 ? null : data.toDecide;
}
