import {
  Activity,
  Bot,
  Building2,
  Eraser,
  Gauge,
  Layers,
  type LucideIcon,
  MailX,
  Receipt,
  ScrollText,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { t } from '../app/i18n.ts';

/** The beginning of the paths of operators' pages. */
export const OPERATOR = '/operator';

interface OperatorPage {
  /** The path below `/operator`. */
  path: string;
  title: () => string;
  icon: LucideIcon;
  load: () => Promise<{ Page: ComponentType }>;
}

/** The pages of operators, in the order of the rail. */
export const operatorPages: readonly OperatorPage[] = [
  { path: '/', title: () => t('Health'), icon: Activity, load: () => import('./health/health.tsx') },
  {
    path: '/companies',
    title: () => t('Companies'),
    icon: Building2,
    load: () => import('./companies/companies.tsx'),
  },
  { path: '/plans', title: () => t('Plans'), icon: Receipt, load: () => import('./catalogue/plans.tsx') },
  { path: '/models', title: () => t('AI models'), icon: Bot, load: () => import('./catalogue/models.tsx') },
  {
    path: '/throttles',
    title: () => t('Throttles'),
    icon: Gauge,
    load: () => import('./throttles/throttles.tsx'),
  },
  { path: '/topics', title: () => t('Topics'), icon: Layers, load: () => import('./health/topics.tsx') },
  {
    path: '/dead-letters',
    title: () => t('Dead letters'),
    icon: MailX,
    load: () => import('./dead-letters/dead-letters.tsx'),
  },
  {
    path: '/erasures',
    title: () => t('Erasures'),
    icon: Eraser,
    load: () => import('./erasures/erasures.tsx'),
  },
  {
    path: '/audit',
    title: () => t('Audit trail'),
    icon: ScrollText,
    load: () => import('./audit/audit.tsx'),
  },
];
