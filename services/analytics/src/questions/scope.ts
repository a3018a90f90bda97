import type { FunnelQuery, InsightQuery } from '@switchboard/contracts';
import { calendarOf, spanOf, UnusableRange } from '../calendar/calendar.ts';
import { previousOf } from '../calendar/previous.ts';
import { DEFAULT_INTERVAL } from './question.ts';

/** The events that an answer depends on, and the range, which can change the answer without new events. */
export interface Scope {
  /** Undefined for events of any name. */
  names: string[] | undefined;
  /** Milliseconds since 1970; undefined for all of the past. */
  from: number | undefined;
  to: number;
  /** The first and last unit of the range. */
  span: string;
}

const DAY_MS = 86_400_000;
const WINDOW_DAYS: Record<NonNullable<FunnelQuery['window']>['unit'], number> = {
  second: 1 / 86_400,
  minute: 1 / 1440,
  hour: 1 / 24,
  day: 1,
  week: 7,
};
const DEFAULT_WINDOW_DAYS = 14;

/** Throws UnusableRange. */
export function scopeOf(question: InsightQuery, now: number): Scope {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC' } = question;
  const span = spanOf(question.range, interval, timezone, now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  if (calendar.numbers.length === 0) {
    throw new UnusableRange(`clocks in ${timezone} skip this whole time; use other days`);
  }
  const common = { names: namesOf(question), span: `${span.first} ${span.last}` };
  switch (question.kind) {
    case 'trends': {
      const before =
        question.compare && previousOf({ range: question.range, interval, timeZone: timezone, calendar });
      return { ...common, from: (before?.calendar ?? calendar).from, to: calendar.to };
    }
    case 'funnel':
      return { ...common, from: calendar.from, to: calendar.to + windowOf(question) };
    case 'retention': {
      const { around } = calendarOf({ span, interval, timeZone: timezone, after: question.periods - 1 });
      return { ...common, from: question.mode === 'every' ? around.from : undefined, to: around.to };
    }
    case 'stickiness':
      return { ...common, from: calendar.from, to: calendar.to };
    case 'lifecycle':
      return { ...common, from: undefined, to: calendar.to };
  }
}

function windowOf({ window }: FunnelQuery): number {
  return (window === undefined ? DEFAULT_WINDOW_DAYS : window.count * WINDOW_DAYS[window.unit]) * DAY_MS;
}

function namesOf(question: InsightQuery): string[] | undefined {
  switch (question.kind) {
    case 'trends':
    case 'stickiness':
      return question.series.map(({ event }) => event);
    case 'funnel':
      return [...question.steps, ...(question.exclude ?? [])].map(({ event }) => event);
    case 'retention':
      return [question.start.event, question.return.event];
    case 'lifecycle':
      return question.event === undefined ? undefined : [question.event];
  }
}
