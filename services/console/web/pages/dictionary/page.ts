import { BookOpen } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/dictionary',
  title: () => t('Dictionary'),
  rail: { section: 'main', icon: BookOpen, order: 31 },
  go: 'v',
  permission: 'insights.read',
  load: () => import('./dictionary.tsx'),
});
