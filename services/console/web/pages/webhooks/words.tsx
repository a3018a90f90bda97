import type { Input, Result } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { useCohorts } from '../../clauses/suggestions.ts';
import { Badge } from '../../components/badge.tsx';
import { Time } from '../../components/values.tsx';
import { CHATS } from '../subscriptions/words.tsx';
import styles from './webhooks.module.css';

export type Webhook = Result<'getWebhook'>;
export type Definition = NonNullable<Input<'putWebhook'>['body']>;
export type Message = Result<'listWebhookMessages'>['messages'][number];
export type Format = Webhook['format'];
export type WebhookType = Webhook['types'][number];

export const TYPES: readonly WebhookType[] = [
  'event',
  'report.ran',
  'alert.fired',
  'alert.recovered',
  'cohort.entered',
  'cohort.left',
  'conversation.opened',
  'conversation.turn',
  'conversation.resolved',
  'flag.changed',
  'change_request.changed',
  'erasure.done',
  'audit',
];

export const FORMATS = ['standard', 'slack', 'discord', 'teams'] as const;

export const formatWord = (format: Format): string =>
  format === 'standard' ? 'Standard Webhooks' : CHATS[format];

export function typeWord(type: string): string {
  const words: Record<string, string> = {
    event: t('Events'),
    'report.ran': t('Runs of reports'),
    'alert.fired': t('Alerts that fire'),
    'alert.recovered': t('Alerts that recover'),
    'cohort.entered': t('People who enter a cohort'),
    'cohort.left': t('People who leave a cohort'),
    'conversation.opened': t('Opened conversations'),
    'conversation.turn': t('Messages in conversations'),
    'conversation.resolved': t('Resolved conversations'),
    'flag.changed': t('Changes of flags'),
    'change_request.changed': t('Change requests'),
    'erasure.done': t('Finished erasures'),
    audit: t('Audit trail'),
    'webhook.test': t('Test'),
  };
  return words[type] ?? type;
}

/** Whether a webhook sends, and why not. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { enabled, disabledReason, failingSince } = webhook;
  if (disabledReason === 'gone') return <Badge tone="danger">{t('Disabled: gone')}</Badge>;
  if (disabledReason === 'failing') return <Badge tone="danger">{t('Disabled: failing')}</Badge>;
  if (!enabled) return <Badge>{t('Disabled')}</Badge>;
  return failingSince === null ? (
    <Badge tone="good">{t('Enabled')}</Badge>
  ) : (
    <Badge tone="warning">{t('Failing')}</Badge>
  );
}

/** The cohorts of a webhook, when they were compared, and why not. */
export function Watched({ webhook }: { webhook: Webhook }) {
  const names = new Map(useCohorts().map(({ value, title }) => [value, title]));
  return (
    <ul className={styles['watched']}>
      {webhook.watched.map(({ cohort, members, comparedAt, failure }) => (
        <li key={cohort}>
          {names.get(cohort) ?? cohort}:{' '}
          {members === null
            ? t('not compared yet')
            : t('{members, plural, one {# person} other {# people}}', { members })}
          {comparedAt === null ? null : (
            <>
              , <Time at={comparedAt} />
            </>
          )}
          {failure === null ? null : (
            <>
              . <Badge tone="warning">{t('Not compared')}</Badge> {failure}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

export function stateWord(state: Message['state']): string {
  if (state === 'waiting') return t('Waiting');
  return state === 'delivered' ? t('Delivered') : t('Failed');
}

export function MessageState({ state }: Pick<Message, 'state'>) {
  const tone = state === 'delivered' ? 'good' : state === 'failed' ? 'danger' : 'plain';
  return <Badge tone={tone}>{stateWord(state)}</Badge>;
}
