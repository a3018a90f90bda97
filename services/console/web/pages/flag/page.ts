import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/flags/$flagKey',
  title: () => t('Flag'),
  parent: '/flags',
  permission: 'flags.read',
  load: () => import('./flag.tsx'),
});
