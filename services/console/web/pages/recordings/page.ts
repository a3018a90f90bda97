import { Clapperboard } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/recordings',
  title: () => t('Recordings'),
  rail: { section: 'main', icon: Clapperboard, order: 50 },
  go: 'r',
  permission: 'replays.read',
  load: () => import('./recordings.tsx'),
});
