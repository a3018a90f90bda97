import { BellRing } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/alerts',
  title: () => t('Alerts'),
  rail: { section: 'main', icon: BellRing, order: 22 },
  go: 'l',
  permission: 'alerts.read',
  load: () => import('./alerts.tsx'),
  commands: [{ title: () => t('Create alert'), to: '/alerts?edit=new' }],
});
