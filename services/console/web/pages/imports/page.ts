import { Import } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/imports',
  title: () => t('Imports'),
  rail: { section: 'settings', icon: Import, order: 118 },
  go: 'z',
  permission: 'imports.read',
  load: () => import('./imports.tsx'),
});
