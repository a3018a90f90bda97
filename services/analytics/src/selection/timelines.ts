import type { EventChoice, InsightClause } from '@switchboard/contracts';
import { anyOf, sql, TRUE } from '../engine/sql.ts';
import type { RowsOf } from '../kept/kept-rows.ts';
import { maskOf } from '../passes/packed-events.ts';
import { type Source, selectEvents } from './events.ts';

/**
 * Returns the query of the timelines of the events of a name, or of all events. Of several choices, each event that any of
 * them selects has a mark with their bits.
 */
export function timelinesOf(
  source: Source,
  where: readonly InsightClause[],
  name: string | undefined,
  choices: readonly EventChoice[] = [],
): RowsOf {
  return (events) => {
    // Ids are joined when timelines are read.
    const own = { ...source, events, personIds: undefined };
    const names = name === undefined ? undefined : [name];
    const { relation, matches } = selectEvents({ source: own, names, where }, choices);
    const isOf = choices.map(matches);
    const mark = choices.length < 2 ? sql`` : sql`, (${maskOf(isOf)})::bigint as mark`;
    const isAny = choices.length === 0 ? TRUE : anyOf(isOf);
    return sql`select hash(p) as h, t${mark} from (${relation}) as ev where ${isAny}`;
  };
}
