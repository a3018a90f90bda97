import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/new-flag',
  title: () => t('New flag'),
  parent: '/flags',
  permission: 'flags.write',
  load: () => import('./new-flag.tsx'),
});
