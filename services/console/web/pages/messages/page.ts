import { Megaphone } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/messages',
  title: () => t('Messages'),
  rail: { section: 'main', icon: Megaphone, order: 80 },
  go: 'n',
  permission: 'messages.send',
  load: () => import('./messages.tsx'),
  commands: [{ title: () => t('Write in-app message'), to: '/messages?open=new' }],
});
