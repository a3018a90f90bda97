import { Flag } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/flags',
  title: () => t('Flags'),
  rail: { section: 'main', icon: Flag, order: 60 },
  go: 'f',
  permission: 'flags.read',
  load: () => import('./flags.tsx'),
});
