import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { THREADS, targetOf } from './draft.ts';

/** Returns the digest of threads, the reports of the project, and the dashboards without a range and filters. */
export function useTargets(): { value: string; name: string }[] {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const reports = useCall(['listReports', project.id, 'subscriptions'], (client, options) =>
    client.call('listReports', { params }, options),
  );
  const dashboards = useCall(['listDashboards', project.id, 'subscriptions'], (client, options) =>
    client.call('listDashboards', { params }, options),
  );
  const plain = (dashboards.data?.dashboards ?? []).filter(
    ({ range, where }) => range === null && where.length === 0,
  );
  return [
    { value: THREADS, name: t('Unread threads') },
    ...(reports.data?.reports ?? []).map(({ id, name }) => ({
      value: targetOf({ kind: 'report', id }),
      name,
    })),
    ...plain.map(({ id, name }) => ({ value: targetOf({ kind: 'dashboard', id }), name })),
  ];
}
