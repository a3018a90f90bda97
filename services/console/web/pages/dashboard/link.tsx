import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { orNone, PublicLink } from '../report/public-link.tsx';
import type { Dashboard } from './board.tsx';

/** The public link of a dashboard. It shows saved runs, which have no range and filters of the dashboard. */
export function DashboardLink({ dashboard }: { dashboard: Dashboard }) {
  const { project, may } = usePlace();
  const params = { projectId: project.id, dashboardId: dashboard.id };
  const key = ['getDashboardLink', project.id, dashboard.id];
  const query = useCall(key, (client, options) =>
    orNone(client.call('getDashboardLink', { params }, options)),
  );
  const publish = useChange(
    (client, expiresOn: string) => client.call('putDashboardLink', { params, body: { expiresOn } }),
    { refresh: [key] },
  );
  const remove = useChange((client, _: undefined) => client.call('deleteDashboardLink', { params }), {
    refresh: [key],
  });
  const isNarrowed = dashboard.range !== null || dashboard.where.length > 0;
  return (
    <PublicLink
      query={query}
      publish={publish}
      remove={remove}
      mayPublish={may('reports.publish') && !isNarrowed}
      none={
        isNarrowed
          ? t('A public link shows no range and filters. Remove them and save the dashboard to create one.')
          : t('Only members see this dashboard.')
      }
    />
  );
}
