import { Gauge } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/usage',
  title: () => t('Usage'),
  rail: { section: 'settings', icon: Gauge, order: 125 },
  go: 'u',
  permission: 'insights.read',
  settings: () => [t('Plan'), t('Quotas'), t('Retention')],
  load: () => import('./usage.tsx'),
});
