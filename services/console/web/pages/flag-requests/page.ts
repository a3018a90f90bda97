import { GitPullRequestArrow } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';
import { ToDecide } from './to-decide.tsx';

export const page = definePage({
  path: '/flag-requests',
  title: () => t('Change requests'),
  rail: {
    section: 'main',
    icon: GitPullRequestArrow,
    order: 61,
    isShown: ({ flagApprovals = 0 }) => flagApprovals > 0,
    Count: ToDecide,
  },
  go: 'Shift+F',
  permission: 'flags.read',
  load: () => import('./flag-requests.tsx'),
});
