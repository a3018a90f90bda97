import { MessageCircle } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/messenger',
  title: () => t('Messenger settings'),
  rail: { section: 'settings', icon: MessageCircle, order: 105 },
  permission: 'messenger.read',
  load: () => import('./messenger.tsx'),
});
