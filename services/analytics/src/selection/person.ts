import type { InsightClause } from '@switchboard/contracts';
import { clausesIn } from '../conditions/clauses.ts';
import type { Dialect } from '../engine/dialect.ts';
import { type Sql, sql } from '../engine/sql.ts';

interface PersonOf {
  /** Adds the column `person_id` to a query of events, if any person has several ids. */
  withPerson(events: Sql): Sql;
  /** Whether a query of ids has any id of the person `p`. */
  isAnyOf(ids: Sql): Sql;
  /**
   * Whether the person `p` fulfills a clause about distinct_id: by any id, or by all ids if the operator is negative.
   * `value` is the JSON of `p`.
   */
  fulfils(clause: InsightClause, value: Sql): Sql;
}

const NEGATIVE: ReadonlySet<InsightClause['op']> = new Set(['neq', 'not_in', 'is_not_set']);

/** Returns how a query reads the persons of events. `personIds` is a relation of distinct_id and person_id. */
export function personOf(dialect: Dialect, personIds: Sql | undefined): PersonOf {
  const fulfils = clausesIn(dialect);
  if (personIds === undefined) {
    return { withPerson: (events) => events, isAnyOf: (ids) => sql`p in (${ids})`, fulfils };
  }
  const personsWith = (condition: Sql) =>
    sql`(select person_id from (select person_id, distinct_id, ${dialect.jsonOf(sql`distinct_id`)} as v
      from ${personIds} as known) as own where ${condition})`;
  return {
    withPerson: (events) => sql`select sent.*, coalesce(own.person_id, sent.distinct_id) as person_id
      from (${events}) as sent left join ${personIds} as own on own.distinct_id = sent.distinct_id${dialect.inLittleMemory}`,
    isAnyOf: (ids) => sql`(p in (${ids}) or p in ${personsWith(sql`distinct_id in (${ids})`)})`,
    fulfils(clause, value) {
      const isFulfilled = fulfils(clause, sql`v`);
      return NEGATIVE.has(clause.op)
        ? sql`(${fulfils(clause, value)} and p not in ${personsWith(sql`not ${isFulfilled}`)})`
        : sql`(${fulfils(clause, value)} or p in ${personsWith(isFulfilled)})`;
    },
  };
}
