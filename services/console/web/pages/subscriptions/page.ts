import { Mail } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/subscriptions',
  title: () => t('Subscriptions'),
  rail: { section: 'main', icon: Mail, order: 23 },
  go: 'y',
  permission: 'subscriptions.read',
  load: () => import('./subscriptions.tsx'),
  commands: [{ title: () => t('Create subscription'), to: '/subscriptions?edit=new' }],
});
