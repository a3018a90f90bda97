import { FolderCog } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/project',
  title: () => t('Project settings'),
  rail: { section: 'settings', icon: FolderCog, order: 104 },
  go: 's',
  permission: 'projects.write',
  settings: () => [
    t('Origins'),
    t('Default language'),
    t('Approvals of flag changes'),
    t('Identity secrets'),
    t('Delete project'),
  ],
  load: () => import('./project.tsx'),
});
