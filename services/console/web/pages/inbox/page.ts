import { MessagesSquare } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/inbox',
  title: () => t('Inbox'),
  rail: { section: 'main', icon: MessagesSquare, order: 70 },
  go: 'b',
  permission: 'conversations.read',
  load: () => import('./inbox.tsx'),
});
