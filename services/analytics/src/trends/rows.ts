import { isOfProperty, isOfSessions, type Measure, type TrendsQuery } from '@switchboard/contracts';
import type { Calendar } from '../calendar/calendar.ts';
import type { Dialect } from '../engine/dialect.ts';
import { COMMA, join, type Sql, sql, TRUE } from '../engine/sql.ts';
import { labelIn, readFor } from '../selection/breakdown.ts';
import { bucketAt, keptRows, type SelectedFrom, type Source, selectEvents } from '../selection/events.ts';
import { MEASURES, SESSION_VALUES, type Series } from './measures.ts';

/** Returns a query of the events of a series, or of its sessions, with their time and the columns of the measure. */
export function selectionOf(
  query: TrendsQuery,
  series: Series,
  { source, instants, time }: SelectedFrom,
  readsPerson = series.measure === 'people',
): Sql {
  const { dialect } = source;
  const { breakdown } = query;
  const { measure = 'events', property } = series;
  const measured = isOfProperty(measure) ? property : undefined;
  const isUnique = measure === 'unique';
  const isSession = isOfSessions(measure);
  const present = (name: string | undefined) => (name === undefined ? [] : [name]);
  const read = readFor(breakdown);
  const selected = selectEvents(
    { source, names: [series.event], where: query.where ?? [], instants, readsPerson },
    [series],
    {
      attributes: [
        ...read.attributes,
        ...present(isUnique ? undefined : measured),
        ...(isSession ? [SESSION] : []),
      ],
      labels: [...read.labels, ...present(isUnique ? measured : undefined)],
    },
  );
  const { relation, matches, attribute, label } = selected;
  const events = sql`(${relation}) as ev where ${matches(series)}`;
  if (isSession) {
    const own = [
      ...(readsPerson ? [{ name: sql`p`, value: sql`p` }] : []),
      ...(breakdown ? [{ name: sql`label`, value: labelIn(breakdown, selected, dialect) }] : []),
    ];
    return sql`select ${join([time, ...own.map(({ name }) => name), sql`x`], COMMA)}
      from (${sessionsIn(events, attribute(SESSION), own, measure, dialect)}) as sessions`;
  }
  // Only the columns of the measure, because a breakdown keeps all rows in memory.
  const columns = [
    time,
    ...(readsPerson ? [sql`p`] : []),
    ...(breakdown ? [sql`${labelIn(breakdown, selected, dialect)} as label`] : []),
    ...(measured === undefined
      ? []
      : [sql`${isUnique ? label(measured) : dialect.numericOf(attribute(measured))} as x`]),
  ];
  return sql`select ${join(columns, COMMA)} from ${events}`;
}

const SESSION = 'session_id';

/**
 * Returns a query of the sessions of events: `t` and other values of the first event of each, or of the last one for
 * exits, and `x`, the value that the measure averages.
 */
function sessionsIn(
  events: Sql,
  session: Sql,
  own: readonly { name: Sql; value: Sql }[],
  measure: Measure,
  { isSet, rowIf, valueOf: fieldOf }: Dialect,
): Sql {
  const edge = rowIf(TRUE, [sql`t`, sql`id`, ...own.map(({ value }) => value)]);
  const values = own.map(({ name }, index) => sql`, ${fieldOf(sql`edge`, index + 2)} as ${name}`);
  return sql`select ${fieldOf(sql`edge`, 0)} as t${join(values, sql``)}, x from (
    select ${measure === 'exits' ? sql`max` : sql`min`}(${edge}) as edge, ${SESSION_VALUES[measure] ?? sql`0`} as x
    from ${events} and ${isSet(session)} group by ${session}) as edges`;
}

/**
 * Returns a query of rows of a series: each is of one interval, label and counted value, and stands for `n` events.
 * Where a measure does not add up, each row is of one event or session.
 */
export function rowsOf(query: TrendsQuery, series: Series, source: Source, calendar: Calendar): Sql {
  const { columns, counted } = MEASURES[series.measure ?? 'events'](source.dialect);
  const bucket = sql`(${bucketAt(source.dialect, calendar)})::integer as b`;
  if (columns === undefined) {
    return sql`select ev.*, 1 as n from (${selectionOf(query, series, { source, instants: calendar, time: bucket })}) as ev`;
  }
  const keys = [...(query.breakdown ? [sql`label`] : []), ...(counted ? [counted] : [])];
  const grouped = (time: Sql, from: SelectedFrom) => sql`
    select ${join([time, ...keys], COMMA)}, count(*) as n${columns}
    from (${selectionOf(query, series, from)}) as ev group by ${join([time, ...keys], COMMA)}`;
  const hasPersons = series.measure === 'people';
  // Timelines have the people of a series without a breakdown.
  const isKept = !hasPersons || query.breakdown !== undefined;
  const kept = isKept
    ? keptRows(source, { calendar, hasPersons }, (from) => grouped(sql`t`, from))
    : undefined;
  if (kept === undefined) return grouped(sql`b`, { source, instants: calendar, time: bucket });
  const rows = sql`select ${bucket}, * exclude (t) from (${kept}) as kept`;
  // A counted value may be in several files, or in several parts of an interval.
  return counted === undefined
    ? rows
    : sql`select ${join([sql`b`, ...keys], COMMA)}, sum(n) as n from (${rows}) as rows group by all`;
}
