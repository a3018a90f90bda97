import { ScrollText } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/audit',
  title: () => t('Audit trail'),
  rail: { section: 'settings', icon: ScrollText, order: 120 },
  go: 'a',
  permission: 'audit.read',
  load: () => import('./audit.tsx'),
});
