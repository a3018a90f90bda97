import { UserRound } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/people',
  title: () => t('People'),
  rail: { section: 'main', icon: UserRound, order: 40 },
  go: 'p',
  permission: 'people.read',
  load: () => import('./people.tsx'),
});
