import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/dashboards/$dashboardId',
  title: () => t('Dashboard'),
  parent: '/dashboards',
  permission: 'insights.read',
  load: () => import('./dashboard.tsx'),
});
