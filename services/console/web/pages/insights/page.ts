import { ChartLine } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/insights',
  title: () => t('Insights'),
  rail: { section: 'main', icon: ChartLine, order: 10 },
  go: 'i',
  permission: 'insights.read',
  load: () => import('./insights.tsx'),
});
