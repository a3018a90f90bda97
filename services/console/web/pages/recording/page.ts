import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/recordings/$sessionId',
  title: () => t('Recording'),
  parent: '/recordings',
  permission: 'replays.read',
  load: () => import('./recording.tsx'),
});
