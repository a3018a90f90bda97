import { DatabaseZap } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/sql',
  title: () => t('SQL'),
  rail: { section: 'main', icon: DatabaseZap, order: 12 },
  go: 'q',
  permission: 'people.read',
  load: () => import('./sql.tsx'),
});
