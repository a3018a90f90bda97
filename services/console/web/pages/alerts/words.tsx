import type { Input, Result } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';

export type Alert = Result<'listAlerts'>['alerts'][number];
export type Definition = NonNullable<Input<'putAlert'>['body']>;
export type Rule = Definition['rule'];
export type Preview = Result<'previewAlert'>;

export const isSnoozed = ({ snoozedUntil }: Pick<Alert, 'snoozedUntil'>): boolean =>
  snoozedUntil !== null && Date.parse(snoozedUntil) > Date.now();

/** Whether an alert fires, and why it cannot. */
export function AlertState({ alert }: { alert: Alert }) {
  const { enabled, state, error } = alert;
  if (!enabled) return <Badge>{t('Disabled')}</Badge>;
  if (error !== null) return <Badge tone="warning">{t('Failing')}</Badge>;
  if (state === 'firing') {
    return <Badge tone="danger">{isSnoozed(alert) ? t('Firing, snoozed') : t('Firing')}</Badge>;
  }
  return state === 'ok' ? <Badge tone="good">{t('OK')}</Badge> : <Badge>{t('Not evaluated yet')}</Badge>;
}

export const KINDS = ['threshold', 'change', 'missing', 'anomaly'] as const;

export function kindWord(kind: Rule['kind']): string {
  return {
    threshold: t('Limit'),
    change: t('Change'),
    missing: t('Missing data'),
    anomaly: t('Anomaly'),
  }[kind];
}

/** Returns when an alert fires, as a phrase. */
export function ruleWord(rule: Rule): string {
  switch (rule.kind) {
    case 'threshold':
      return rule.above === undefined
        ? t('below {limit}', { limit: rule.below ?? 0 })
        : t('above {limit}', { limit: rule.above });
    case 'change':
      return `${directionWord(rule.direction)} ${rule.percent}% · ${againstWord(rule.against ?? 'previous')}`;
    case 'missing':
      return t('no data');
    case 'anomaly':
      return `${t('unusual')} · ${directionWord(rule.direction)}`;
  }
}

export const DIRECTIONS = ['down', 'up', 'both'] as const;
export const AGAINST = ['previous', 'day', 'week'] as const;

export function directionWord(direction: (typeof DIRECTIONS)[number]): string {
  return { down: t('down'), up: t('up'), both: t('up or down') }[direction];
}

export function againstWord(against: (typeof AGAINST)[number]): string {
  return {
    previous: t('against the period before'),
    day: t('against the same time a day before'),
    week: t('against the same time a week before'),
  }[against];
}
