import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/inbox/preferences',
  title: () => t('Inbox preferences'),
  parent: '/inbox',
  permission: 'conversations.reply',
  load: () => import('./preferences.tsx'),
});
