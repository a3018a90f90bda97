import { UsersRound } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/cohorts',
  title: () => t('Cohorts'),
  rail: { section: 'main', icon: UsersRound, order: 42 },
  go: 'o',
  permission: 'cohorts.read',
  load: () => import('./cohorts.tsx'),
});
