import { LayoutDashboard } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/dashboards',
  title: () => t('Dashboards'),
  rail: { section: 'main', icon: LayoutDashboard, order: 20 },
  go: 'd',
  load: () => import('./dashboards.tsx'),
});
