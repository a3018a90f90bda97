import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/reports/$reportId',
  title: () => t('Report'),
  parent: '/insights',
  permission: 'insights.read',
  load: () => import('./report.tsx'),
});
