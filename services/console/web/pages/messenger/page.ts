import { MessageCircle } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/messenger',
  title: () => t('Messenger settings'),
  rail: { section: 'settings', icon: MessageCircle, order: 105 },
  go: 'j',
  permission: 'messenger.read',
  load: () => import('./messenger.tsx'),
  commands: [
    { title: () => t('Appearance of the messenger'), to: '/settings/messenger?part=appearance' },
    { title: () => t('Texts of the messenger'), to: '/settings/messenger?part=texts' },
    { title: () => t('Team of the messenger'), to: '/settings/messenger?part=team' },
    { title: () => t('Office hours'), to: '/settings/messenger?part=hours' },
    { title: () => t('Help centre'), to: '/settings/messenger?part=help' },
  ],
});
