import { MessageSquareText } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';
import { UnreadCount } from './unread-count.tsx';

export const page = definePage({
  path: '/threads',
  title: () => t('Threads'),
  rail: { section: 'main', icon: MessageSquareText, order: 25, Count: UnreadCount },
  go: 'c',
  permission: 'comments.read',
  load: () => import('./inbox.tsx'),
});
