import { Eraser } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/erasures',
  title: () => t('Erasures'),
  rail: { section: 'settings', icon: Eraser, order: 130 },
  go: 'x',
  permission: 'people.erase',
  load: () => import('./erasures.tsx'),
  commands: [{ title: () => t('Erase a person'), to: '/settings/erasures?erase=true' }],
});
