import type { Database } from '@switchboard/database';
import type { Traits } from '@switchboard/flag-engine';

/** What evaluation needs to know of a person. */
export interface UserState {
  traits: Traits;
  /** The traits of the group the person is in, by group type. */
  groups: Record<string, Traits>;
  /** The cohorts that name the person. */
  cohorts: readonly string[];
}

export interface PersonName {
  projectId: string;
  distinctId: string;
}

/** User state as the JSON text it is read as: equal texts are equal states. */
export type UserStateText = string;

/** The state of someone of whom nothing is on file. */
export const nobody: UserStateText = '{"traits":{},"groups":{},"cohorts":[]}';

export function parseUserState(text: UserStateText): UserState {
  const state: UserState = JSON.parse(text);
  return state;
}

/**
 * The address of a database whose connections plan a prepared query once. By itself PostgreSQL plans the query
 * below anew each time, which costs it more than the query.
 */
export function planningOnce(url: string): string {
  const address = new URL(url);
  address.searchParams.set('plan_cache_mode', 'force_generic_plan');
  return address.href;
}

/**
 * The state of some people, in their order, by one query: a row of each person, one of each of their groups and
 * one of each cohort that names them, all through primary keys.
 */
export async function findUserStates(
  { sql }: Pick<Database, 'sql'>,
  names: readonly PersonName[],
): Promise<UserStateText[]> {
  const projectIds = names.map(({ projectId }) => projectId);
  const distinctIds = names.map(({ distinctId }) => distinctId);
  // A subquery for each group: to join them, PostgreSQL may read all groups of the project.
  const rows = await sql<{ state: UserStateText }[]>`
    select concat(
      '{"traits":', coalesce(people.traits, '{}'),
      ',"groups":', coalesce((
        select json_object_agg(membership.key, coalesce((
          select groups.traits from groups where groups.project_id = named.project_id
            and groups.type = membership.key and groups.id = membership.value), '{}'))
        from json_each_text(people.groups) as membership), '{}'),
      ',"cohorts":', coalesce((
        select json_agg(cohort_people.cohort_id order by cohort_people.cohort_id) from cohort_people
        where cohort_people.project_id = named.project_id
          and cohort_people.distinct_id = named.distinct_id), '[]'),
      '}') as state
    from unnest(${projectIds}::text[], ${distinctIds}::text[])
      with ordinality as named(project_id, distinct_id, position)
    left join people on people.project_id = named.project_id and people.distinct_id = named.distinct_id
    order by named.position`;
  return rows.map(({ state }) => state);
}
