import type { Database } from '@switchboard/database';
import type { PersonKey } from '@switchboard/user-state';
import type { UserStateJson } from './user-state.ts';

export interface UserStateStore {
  /**
   * Reads the states of the persons of these ids, in the given order, with one query. It reads up to three rows per id,
   * one per group of a person, and one per cohort that lists or has computed an id of the person, all through primary
   * keys.
   */
  findStates(people: readonly PersonKey[]): Promise<UserStateJson[]>;
}

/**
 * Makes PostgreSQL plan the query of `findStates` once per connection. By default it plans the query on every
 * execution, which takes longer than running it.
 */
export function withGenericPlans(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('plan_cache_mode', 'force_generic_plan');
  return url.href;
}

export function createUserStateStore(database: Pick<Database, 'sql'>): UserStateStore {
  return {
    async findStates(people) {
      const projectIds = people.map(({ projectId }) => projectId);
      const distinctIds = people.map(({ distinctId }) => distinctId);
      // Groups and cohorts are subqueries, because PostgreSQL may read all groups of the project for a join.
      const rows = await database.sql<{ state: UserStateJson }[]>`
        select concat(
          '{"groups":', coalesce((
            select json_object_agg(membership.key, coalesce((
              select groups.traits from groups where groups.project_id = named.project_id
                and groups.type = membership.key and groups.id = membership.value), '{}'))
            from json_each_text(coalesce(persons.groups, people.groups)) as membership), '{}'),
          ',"traits":', coalesce(persons.traits, people.traits, '{}'),
          ',"cohorts":', to_json(array(
            select distinct cohort_people.cohort_id from cohort_people
            where cohort_people.project_id = named.project_id
              and cohort_people.distinct_id = any(coalesce(persons.ids, array[named.distinct_id]))
            order by cohort_people.cohort_id)),
          ',"did":', to_json(array(
            select distinct cohort_members.cohort_id from cohort_members
            where cohort_members.project_id = named.project_id
              and cohort_members.distinct_id = any(coalesce(persons.ids, array[named.distinct_id]))
            order by cohort_members.cohort_id)),
          '}') as state
        from unnest(${projectIds}::text[], ${distinctIds}::text[])
          with ordinality as named(project_id, distinct_id, position)
        left join people on people.project_id = named.project_id and people.distinct_id = named.distinct_id
        left join identities on identities.project_id = named.project_id
          and identities.distinct_id = named.distinct_id
        left join persons on persons.project_id = identities.project_id
          and persons.person_id = identities.person_id
        order by named.position`;
      return rows.map(({ state }) => state);
    },
  };
}
