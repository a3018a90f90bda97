import { KeyRound } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/keys',
  title: () => t('Project keys'),
  rail: { section: 'settings', icon: KeyRound, order: 110 },
  go: 'k',
  permission: 'keys.write',
  settings: () => [t('Install')],
  load: () => import('./keys.tsx'),
});
