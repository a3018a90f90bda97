import type { EventChoice } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { allOf, COMMA, integer, join, numbered, type Sql, sql, whole } from '../engine/sql.ts';

/** Later than any event. */
export const NEVER = sql`${integer(Number.MAX_SAFE_INTEGER)}`;

/** The maximum number of other conditions at the same moment. Each doubles the comparisons. */
const MAX_OTHERS = 3;

interface NextStep {
  steps: readonly EventChoice[];
  /** The index of the step, at least 1. */
  step: number;
  /** A query of the step's events: person, time and id, as p, t, id. */
  events: Sql;
  /** Columns of the chains in addition to the person, and the times and ids that earlier steps add. */
  columns: readonly Sql[];
  dialect: Dialect;
}

/**
 * Adds to each chain the time of its next step, as `t` and its number: the earliest time that is not before that of
 * the last step and has an event that no other step needs.
 *
 * Only steps of the same event name at the same moment can need the same event. They can have different events if
 * and only if each subset of the steps has at least as many events together (Hall's theorem). This already holds
 * for the earlier steps, so only subsets with the new step remain. Of steps with the same condition, a subset needs
 * to contain all or none. The first step already has its event.
 */
export function withNextStep({ steps, step, events, columns, dialect }: NextStep): Sql {
  const before = step - 1;
  const [chains, at, ids] = [numbered('w', before), numbered('t', step), numbered('i', step)];
  const next = (moments: Sql) =>
    sql`from ${chains} as w asof left join (${moments}) as e
      on e.p = w.p and e.t >= coalesce(w.${numbered('t', before)}, ${NEVER})`;
  const isAlone = alikeBefore(steps, step).length === 0;
  const isNeeded = needsEvents(steps, step);
  if (isAlone && !isNeeded) return sql`select w.*, e.t as ${at} ${next(events)}`;

  // More events than all steps can take have no effect.
  const enough = steps.filter(({ event }) => event === steps[step]?.event).length;
  const moments = sql`select p, t, ${dialect.someOf(sql`id`, enough)} as ids from (${events}) as ev group by p, t`;
  if (isAlone) return sql`select w.*, e.t as ${at}, e.ids as ${ids} ${next(moments)}`;

  const idsLater = isNeeded ? sql`, lead(ids) over (partition by p order by t) as there` : sql``;
  // Nullable columns are null after the last moment. In ClickHouse other columns would be 0.
  const pairs = sql`select *, lead(nullif(t, ${NEVER})) over (partition by p order by t) as later${idsLater} from (${moments}) as moments`;
  // No other step is at a later moment.
  const fits = sql`case when e.t = w.${numbered('t', before)} then ${haveEvents(steps, step, dialect)} else true end`;
  const found = sql`select w.*, e.t as now, e.ids as here, e.later as later${isNeeded ? sql`, e.there as there` : sql``}, ${fits} as fits ${next(pairs)}`;
  const earlier = [...steps.keys()].slice(0, step);
  const kept = [
    sql`p`,
    ...columns,
    ...earlier.map((index) => numbered('t', index)),
    ...earlier.filter((index) => needsEvents(steps, index)).map((index) => numbered('i', index)),
    sql`case when fits then now else later end as ${at}`,
    ...(isNeeded ? [sql`case when fits then here else there end as ${ids}`] : []),
  ];
  return sql`select ${join(kept, COMMA)} from (${found}) as found`;
}

/**
 * Whether a later step reads the events of this one. The first step has exactly one event, others have candidates.
 */
export function needsEvents(steps: readonly EventChoice[], step: number): boolean {
  return steps.some(
    (later, index) =>
      index > step &&
      later.event === steps[step]?.event &&
      (step === 0 || conditionOf(later) !== conditionOf(steps[step])),
  );
}

/** Whether the steps at the moment `e` and a new one, which can take any of its events, can have different events. */
function haveEvents(steps: readonly EventChoice[], step: number, dialect: Dialect): Sql {
  const isHere = (index: number) => sql`w.${numbered('t', index)} = e.t`;
  const count = (indexes: readonly number[]) =>
    indexes.map((index) => sql`case when ${isHere(index)} then 1 else 0 end`);
  const list = (index: number, ids: Sql) => sql`case when ${isHere(index)} then ${ids} else [] end`;
  const alike = alikeBefore(steps, step);
  const first = alike.filter((index) => index === 0);
  const groups = Map.groupBy(
    alike.filter((index) => index > 0),
    (index) => conditionOf(steps[index]),
  );
  const same = groups.get(conditionOf(steps[step])) ?? [];
  // The latest conditions, because steps at the same moment are consecutive.
  const others = [...groups]
    .filter(([condition]) => condition !== conditionOf(steps[step]))
    .map(([, indexes]) => indexes)
    .sort((one, other) => (other.at(-1) ?? 0) - (one.at(-1) ?? 0))
    .slice(0, MAX_OTHERS);
  return allOf(
    choicesOf(others).map((chosen) => {
      const lists = [
        sql`e.ids`,
        ...first.map((index) => list(index, sql`[w.${numbered('i', 0)}]`)),
        ...chosen.flatMap((indexes) =>
          indexes.slice(-1).map((index) => list(index, sql`w.${numbered('i', index)}`)),
        ),
      ];
      const taken = count([...first, ...same, ...chosen.flat()]);
      return sql`${dialect.sizeOfUnion(lists)} > ${join([whole(0), ...taken], sql` + `)}`;
    }),
  );
}

function alikeBefore(steps: readonly EventChoice[], step: number): number[] {
  return steps.slice(0, step).flatMap(({ event }, index) => (event === steps[step]?.event ? [index] : []));
}

function conditionOf(step: EventChoice | undefined): string {
  return JSON.stringify(step?.where ?? []);
}

/** Returns every subset of the items, including the empty and the full one. */
function choicesOf<T>([item, ...others]: readonly T[]): T[][] {
  if (item === undefined) return [[]];
  return choicesOf(others).flatMap((choice) => [choice, [item, ...choice]]);
}
