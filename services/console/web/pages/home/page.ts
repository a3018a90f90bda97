import { House } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/',
  title: () => t('Home'),
  rail: { section: 'main', icon: House, order: 0 },
  go: 'h',
  load: () => import('./home.tsx'),
});
