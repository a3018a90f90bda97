import { Ticket } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/tokens',
  title: () => t('Access tokens'),
  rail: { section: 'settings', icon: Ticket, order: 114 },
  go: 't',
  permission: 'tokens.own',
  load: () => import('./tokens.tsx'),
  commands: [{ title: () => t('Create access token'), to: '/settings/tokens?create=true' }],
});
