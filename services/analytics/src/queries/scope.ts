import type { InsightQuery } from '@switchboard/contracts';
import { calendarOf, spanOf, UnusableRange } from '../calendar/calendar.ts';
import { comparedOf } from '../calendar/previous.ts';
import { DEFAULT_INTERVAL, FUNNEL_WINDOW, PATHS_WINDOW, windowMs } from './query.ts';

/** The events that a result depends on, and the range, which can change the result without new events. */
export interface Scope {
  /** Undefined for events of any name. */
  names: string[] | undefined;
  /** Milliseconds since 1970; undefined for all of the past. */
  from: number | undefined;
  /** Undefined for all later events. */
  to: number | undefined;
  /** The first and last unit of the range. */
  span: string;
}

/** Throws UnusableRange. */
export function scopeOf(query: InsightQuery, now: number): Scope {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC' } = query;
  const span = spanOf(query.range, interval, timezone, now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  if (calendar.numbers.length === 0) {
    throw new UnusableRange(`clocks in ${timezone} skip this whole time; use other days`);
  }
  const common = { names: namesOf(query), span: `${span.first} ${span.last}` };
  switch (query.kind) {
    case 'trends': {
      const before =
        query.compare &&
        comparedOf(query.compare, { range: query.range, interval, timeZone: timezone, calendar });
      return { ...common, from: (before?.calendar ?? calendar).from, to: calendar.to };
    }
    case 'funnel':
      return { ...common, from: calendar.from, to: calendar.to + windowMs(query.window, FUNNEL_WINDOW) };
    case 'paths': {
      const window = windowMs(query.window, PATHS_WINDOW);
      if (query.after === undefined) return { ...common, from: calendar.from - window, to: calendar.to };
      return { ...common, from: calendar.from, to: calendar.to + window };
    }
    case 'retention': {
      const { around } = calendarOf({ span, interval, timeZone: timezone, after: query.periods - 1 });
      const to = query.retained === 'on_or_after' ? undefined : around.to;
      return { ...common, from: query.mode === 'every' ? around.from : undefined, to };
    }
    case 'stickiness':
      return { ...common, from: calendar.from, to: calendar.to };
    case 'lifecycle':
      return { ...common, from: undefined, to: calendar.to };
  }
}

function namesOf(query: InsightQuery): string[] | undefined {
  switch (query.kind) {
    case 'trends':
    case 'stickiness':
      return query.series.map(({ event }) => event);
    case 'funnel':
      if (query.order === 'strict') return undefined;
      return [...query.steps, ...(query.exclude ?? [])].map(({ event }) => event);
    case 'retention':
      return [query.start.event, query.return.event];
    case 'paths':
      return undefined;
    case 'lifecycle':
      return query.event === undefined ? undefined : [query.event];
  }
}
