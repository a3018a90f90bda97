import { ShieldCheck } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { definePage } from '../../app/page.ts';

export const page = definePage({
  path: '/settings/sign-in',
  title: () => t('Single sign-on'),
  rail: { section: 'settings', icon: ShieldCheck, order: 105 },
  go: 'Shift+S',
  permission: 'signIn.write',
  settings: () => [t('Identity provider'), t('Email domains'), t('Roles of groups'), t('SCIM tokens')],
  load: () => import('./sign-in.tsx'),
});
