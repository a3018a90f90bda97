import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/people/$distinctId',
  title: () => t('Person'),
  parent: '/people',
  permission: 'people.read',
  load: () => import('./person.tsx'),
});
