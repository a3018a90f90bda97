import {
  type EventChoice,
  type InsightClause,
  PEOPLE,
  type ReportContent,
  type StickinessQuery,
} from '@switchboard/contracts';
import { z } from 'zod';
import { type Calendar, calendarOf, spanOf } from '../calendar/calendar.ts';
import { integer, type Sql, sql } from '../engine/sql.ts';
import { bucketsOf } from '../passes/buckets.ts';
import { bucketAt, type Source, selectEvents } from '../selection/events.ts';
import { differentNames } from '../selection/names.ts';
import { timelinesOf } from '../selection/timelines.ts';
import type { Counter } from '../timelines/counts.ts';
import { numberIn, type Point, seriesAt } from './point.ts';
import { DEFAULT_INTERVAL, type QueryInputs } from './query.ts';

const activeRows = z.array(z.object({ active: z.number(), people: z.number() }));

/** Counts the people who were active in exactly, or at least, 1, 2, ... intervals. */
export async function stickiness(query: StickinessQuery, inputs: QueryInputs): Promise<ReportContent> {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, where = [] } = query;
  const span = spanOf(range, interval, timezone, inputs.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const series: { name: string; values: number[] }[] = [];
  const names = differentNames(query.series.map(({ event, name = event }) => name));
  for (const [index, choice] of query.series.entries()) {
    const people = await countsOf(choice, where, calendar, inputs);
    const values = calendar.labels.map((_, at) => people.get(at + 1) ?? 0);
    series.push({
      name: names[index] ?? choice.event,
      values: query.cumulative ? fromThenOn(values) : values,
    });
  }
  return { kind: 'bar', unit: PEOPLE, buckets: calendar.labels.map((_, at) => String(at + 1)), series };
}

/** Returns the number of people by the number of intervals in which they were active. */
async function countsOf(
  choice: EventChoice,
  where: readonly InsightClause[],
  calendar: Calendar,
  { source, run }: QueryInputs,
): Promise<Map<number, number>> {
  const events = timelinesOf(source, where, choice.event, [choice]);
  const kept = await source.countPeople?.([events], activityIn(calendar));
  if (kept !== undefined) return kept;
  const rows = await run(sql`
    select active::integer as active, count(*)::double as people
    from (${activePeople(choice, where, calendar, source)}) group by active`);
  return new Map(activeRows.parse(rows).map(({ active, people }) => [active, people]));
}

/** Counts people by the number of intervals in which they were active. */
function activityIn(calendar: Calendar): Counter<Map<number, number>> {
  const activeIn = bucketsOf(calendar);
  return {
    key: ['activity', calendar],
    empty: () => new Map(),
    add(people, { times }, sign) {
      const active = activeIn(times).size;
      if (active > 0) people.set(active, (people.get(active) ?? 0) + sign);
    },
  };
}

/** Returns the sum of each value and those after it. */
const fromThenOn = (values: readonly number[]) =>
  values.map((_, at) => values.slice(at).reduce((sum, value) => sum + value, 0));

/** Returns a query of people and the number of intervals in which they were active. */
function activePeople(
  choice: EventChoice,
  where: readonly InsightClause[],
  calendar: Calendar,
  source: Source,
): Sql {
  const selected = selectEvents({ source, names: [choice.event], where, instants: calendar }, [choice]);
  return sql`select p, count(distinct ${bucketAt(source.dialect, calendar)}) as active
    from (${selected.relation}) as ev where ${selected.matches(choice)} group by p`;
}

/** Returns a query of the people who were active in exactly, or at least, as many intervals as a point says. */
export function stickinessPeople(query: StickinessQuery, point: Point, inputs: QueryInputs): Sql {
  const { interval = DEFAULT_INTERVAL, timezone = 'UTC', range, where = [] } = query;
  const span = spanOf(range, interval, timezone, inputs.now);
  const calendar = calendarOf({ span, interval, timeZone: timezone });
  const names = differentNames(query.series.map(({ event, name = event }) => name));
  const choice = query.series[seriesAt(names, point)];
  if (choice === undefined) throw new Error('No series has this index.');
  const active = numberIn(point.daysActive, 1, calendar.labels.length, 'daysActive');
  const compared = query.cumulative ? sql`>=` : sql`=`;
  return sql`select p from (${activePeople(choice, where, calendar, inputs.source)}) where active ${compared} ${integer(active)}`;
}
