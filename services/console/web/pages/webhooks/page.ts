import { Webhook } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/webhooks',
  title: () => t('Webhooks'),
  rail: { section: 'settings', icon: Webhook, order: 116 },
  go: 'w',
  permission: 'webhooks.read',
  load: () => import('./webhooks.tsx'),
});
