import type { Channel, Definition, Schedule, Subscription } from './words.tsx';

/** A subscription while it is edited. */
export interface SubscriptionDraft {
  /** The kind and id of the target, such as `report:weekly`, or `threads:`. Empty: not chosen. */
  target: string;
  every: Schedule['every'];
  weekday: number;
  /** The day of the month, as typed. */
  day: string;
  at: string;
  timeZone: string;
  recipients: readonly string[];
  channels: readonly Channel[];
  enabled: boolean;
}

export const THREADS = 'threads:';

export const targetOf = (target: Definition['target']): string =>
  target.kind === 'threads' ? THREADS : `${target.kind}:${target.id}`;

interface NewSubscription {
  report: string | undefined;
  dashboard: string | undefined;
  /** The sub of the person who creates it. */
  sub: string;
}

/** Returns the form in which a subscription is edited. */
export function draftOf(
  subscription: Subscription | undefined,
  { report, dashboard, sub }: NewSubscription,
): SubscriptionDraft {
  if (subscription !== undefined) {
    const { target, schedule, recipients, channels, enabled } = subscription;
    const { every, at, timeZone } = schedule;
    return {
      target: targetOf(target),
      every,
      weekday: every === 'week' ? schedule.on : 1,
      day: every === 'month' ? String(schedule.on) : '1',
      at,
      timeZone,
      recipients: recipients.map((one) => one.sub),
      channels,
      enabled,
    };
  }
  const id = report ?? dashboard;
  return {
    target: id === undefined ? '' : targetOf({ kind: report === undefined ? 'dashboard' : 'report', id }),
    every: 'week',
    weekday: 1,
    day: '1',
    at: '08:30',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    recipients: [sub],
    channels: [],
    enabled: true,
  };
}

/** Returns the subscription as the API takes it, or undefined while it is incomplete. */
export function definitionOf({ target, ...draft }: SubscriptionDraft): Definition | undefined {
  const { every, weekday, at, timeZone, recipients, enabled } = draft;
  const channels = (target === THREADS ? [] : draft.channels).map(({ kind, url }) => ({
    kind,
    url: url.trim(),
  }));
  const day = Number(draft.day);
  const isSent = recipients.length + channels.length > 0 && channels.every(({ url }) => url !== '');
  const isComplete = target !== '' && at !== '' && timeZone.trim() !== '' && isSent;
  if (!isComplete || (every === 'month' && !(day >= 1 && day <= 31))) return undefined;
  const when = { at, timeZone: timeZone.trim() };
  return {
    target: parsed(target),
    schedule:
      every === 'week'
        ? { every, on: weekday, ...when }
        : every === 'month'
          ? { every, on: day, ...when }
          : { every, ...when },
    recipients: [...recipients],
    channels,
    enabled,
  };
}

function parsed(target: string): Definition['target'] {
  if (target === THREADS) return { kind: 'threads' };
  const colon = target.indexOf(':');
  const kind = target.slice(0, colon) === 'report' ? 'report' : 'dashboard';
  return { kind, id: target.slice(colon + 1) };
}
