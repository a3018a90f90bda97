import { ChartColumn } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/inbox-report',
  title: () => t('Inbox report'),
  rail: { section: 'main', icon: ChartColumn, order: 72 },
  go: 'Shift+B',
  permission: 'support.read',
  load: () => import('./report.tsx'),
});
