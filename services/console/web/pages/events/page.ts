import { Activity } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/events',
  title: () => t('Events'),
  rail: { section: 'main', icon: Activity, order: 30 },
  go: 'e',
  permission: 'events.read',
  load: () => import('./events.tsx'),
});
