import { Building2 } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/groups',
  title: () => t('Groups'),
  rail: { section: 'main', icon: Building2, order: 41 },
  go: 'g',
  permission: 'people.read',
  load: () => import('./groups.tsx'),
});
