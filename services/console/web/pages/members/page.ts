import { Users } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/members',
  title: () => t('Members'),
  rail: { section: 'settings', icon: Users, order: 100 },
  go: 'm',
  settings: () => [t('Invitations'), t('Roles')],
  load: () => import('./members.tsx'),
});
