import type { Input, Result } from '@switchboard/management';
import { locale, t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';

export type Subscription = Result<'listSubscriptions'>['subscriptions'][number];
export type Definition = NonNullable<Input<'putSubscription'>['body']>;
export type Schedule = Definition['schedule'];
export type Channel = Subscription['channels'][number];

/** Whether a subscription is sent, and why it is not. */
export function SubscriptionState({ subscription }: { subscription: Subscription }) {
  const { enabled, failure, isSending, pausedReason } = subscription;
  if (isSending) return <Badge>{t('Sending')}</Badge>;
  if (!enabled) return <Badge tone={pausedReason === null ? 'plain' : 'warning'}>{t('Paused')}</Badge>;
  if (failure !== null) return <Badge tone="danger">{t('Not sent')}</Badge>;
  return <Badge tone="good">{t('On')}</Badge>;
}

/** Says why a subscription was paused, and how to resume it. Undefined if someone paused it. */
export function pauseWord({ pausedReason }: Subscription): string | undefined {
  if (pausedReason === 'unopened') {
    return t('Paused because no one opened eight mails in a row. Resume it to send it again.');
  }
  if (pausedReason === 'unsubscribed') {
    return t('Paused because every recipient has unsubscribed. Edit the recipients and resume it.');
  }
  return undefined;
}

/** The names of chats. */
export const CHATS: Record<Channel['kind'], string> = {
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
};

export const EVERY = ['day', 'weekday', 'week', 'month'] as const;

export function everyWord(every: Schedule['every']): string {
  return {
    day: t('Every day'),
    weekday: t('Monday to Friday'),
    week: t('Every week'),
    month: t('Every month'),
  }[every];
}

/** Returns the name of a day of the week. 1 is Monday. */
export const weekdayWord = (day: number): string =>
  new Intl.DateTimeFormat(locale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));

/** Returns when a subscription is sent, as a phrase. */
export function scheduleWord(schedule: Schedule): string {
  const { every, at, timeZone } = schedule;
  const time = `${at} ${timeZone}`;
  if (every === 'week') return `${weekdayWord(schedule.on)}, ${time}`;
  if (every === 'month') return `${t('Every month on day {day}', { day: schedule.on })}, ${time}`;
  return `${everyWord(every)}, ${time}`;
}
