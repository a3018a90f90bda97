import type { Database, Tx } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { appliedPositions, groups, people } from '../schema/index.ts';
import { type Properties, type Stamp, toProperties } from './merge.ts';
import type { PersonKey, UserStateJson } from './user-state.ts';

export interface StoredPerson extends PersonKey {
  traits: Properties;
  /** The id of the person's group, by group type. */
  groups: Properties;
}

export interface GroupKey {
  projectId: string;
  type: string;
  id: string;
}

export interface StoredGroup extends GroupKey {
  traits: Properties;
}

/** How far the records of one partition are applied. */
export type AppliedPosition = typeof appliedPositions.$inferSelect;

export interface UserStateStore {
  /**
   * Reads the states of people, in their order, with one query: one row per person, per group of theirs and per
   * cohort that lists them, all through primary keys.
   */
  findStates(keys: readonly PersonKey[]): Promise<UserStateJson[]>;
  /** One position per partition. */
  listPositions(): Promise<AppliedPosition[]>;
  /** Runs updates in one transaction. */
  update<T>(work: (updates: UserStateUpdates) => Promise<T>): Promise<T>;
}

export interface UserStateUpdates {
  /** Reads and locks people until the transaction ends, creating those that do not exist. */
  lockPeople(keys: readonly PersonKey[]): Promise<StoredPerson[]>;
  savePeople(changed: readonly StoredPerson[]): Promise<void>;
  /** Reads and locks groups until the transaction ends, creating those that do not exist. */
  lockGroups(keys: readonly GroupKey[]): Promise<StoredGroup[]>;
  saveGroups(changed: readonly StoredGroup[]): Promise<void>;
  /** Saves a partition's position. A redelivered batch moves it forward only. */
  savePosition(position: AppliedPosition): Promise<void>;
}

type Values = Record<string, unknown>;
type Stamps = Record<string, Stamp>;

/**
 * Makes PostgreSQL plan the query of `findStates` once per connection. By default it plans the query on every
 * execution, which takes longer than running it.
 */
export function withGenericPlans(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('plan_cache_mode', 'force_generic_plan');
  return url.href;
}

export function createUserStateStore(database: Pick<Database, 'drizzle' | 'sql'>): UserStateStore {
  return {
    async findStates(keys) {
      const projectIds = keys.map(({ projectId }) => projectId);
      const distinctIds = keys.map(({ distinctId }) => distinctId);
      // postgres.js prepares this statement; Drizzle would not. Groups and cohorts are subqueries because
      // PostgreSQL may read all groups of the project to join them.
      const rows = await database.sql<{ state: UserStateJson }[]>`
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
    },

    listPositions: () => database.drizzle.select().from(appliedPositions),

    update: (work) => database.drizzle.transaction((tx) => work(createUpdates(tx))),
  };
}

function createUpdates(tx: Tx): UserStateUpdates {
  return {
    async lockPeople(keys) {
      const named = sql`unnest(${column(keys, 'projectId')}, ${column(keys, 'distinctId')}) as named(project_id, distinct_id)`;
      // Every writer locks in the same order, so that two of them cannot deadlock.
      await tx.execute(sql`
        insert into ${people} (project_id, distinct_id)
        select * from ${named} order by 1, 2 on conflict do nothing`);
      const rows = await tx.execute<{
        project_id: string;
        distinct_id: string;
        traits: Values;
        trait_stamps: Stamps;
        groups: Values;
        group_stamps: Stamps;
      }>(sql`
        select people.* from ${named} join ${people} using (project_id, distinct_id)
        order by 1, 2 for update of people`);
      return rows.map((row) => ({
        projectId: row.project_id,
        distinctId: row.distinct_id,
        traits: toProperties(row.traits, row.trait_stamps),
        groups: toProperties(row.groups, row.group_stamps),
      }));
    },

    async savePeople(changed) {
      const traits = changed.map((person) => toJson(person.traits));
      const memberships = changed.map((person) => toJson(person.groups));
      await tx.execute(sql`
        update ${people} set
          traits = changed.traits, trait_stamps = changed.trait_stamps,
          groups = changed.groups, group_stamps = changed.group_stamps
        from unnest(
          ${column(changed, 'projectId')}, ${column(changed, 'distinctId')},
          ${column(traits, 'values')}::json[], ${column(traits, 'stamps')}::json[],
          ${column(memberships, 'values')}::json[], ${column(memberships, 'stamps')}::json[]
        ) as changed(project_id, distinct_id, traits, trait_stamps, groups, group_stamps)
        where people.project_id = changed.project_id and people.distinct_id = changed.distinct_id`);
    },

    async lockGroups(keys) {
      const named = sql`unnest(
        ${column(keys, 'projectId')}, ${column(keys, 'type')}, ${column(keys, 'id')}
      ) as named(project_id, type, id)`;
      await tx.execute(sql`
        insert into ${groups} (project_id, type, id)
        select * from ${named} order by 1, 2, 3 on conflict do nothing`);
      const rows = await tx.execute<{
        project_id: string;
        type: string;
        id: string;
        traits: Values;
        trait_stamps: Stamps;
      }>(sql`
        select groups.* from ${named} join ${groups} using (project_id, type, id)
        order by 1, 2, 3 for update of groups`);
      return rows.map((row) => ({
        projectId: row.project_id,
        type: row.type,
        id: row.id,
        traits: toProperties(row.traits, row.trait_stamps),
      }));
    },

    async saveGroups(changed) {
      const traits = changed.map((group) => toJson(group.traits));
      await tx.execute(sql`
        update ${groups} set traits = changed.traits, trait_stamps = changed.trait_stamps
        from unnest(
          ${column(changed, 'projectId')}, ${column(changed, 'type')}, ${column(changed, 'id')},
          ${column(traits, 'values')}::json[], ${column(traits, 'stamps')}::json[]
        ) as changed(project_id, type, id, traits, trait_stamps)
        where groups.project_id = changed.project_id and groups.type = changed.type and groups.id = changed.id`);
    },

    async savePosition(position) {
      const [last, next] = [appliedPositions, sql`excluded`];
      // Newer records at a lower offset are those of a topic that was deleted and created again.
      const moves = sql`${next}.next_offset > ${last.nextOffset} or ${next}.as_of > ${last.asOf}`;
      await tx
        .insert(appliedPositions)
        .values(position)
        .onConflictDoUpdate({
          target: [last.topic, last.partition],
          set: {
            nextOffset: sql`case when ${moves} then ${next}.next_offset else ${last.nextOffset} end`,
            asOf: sql`greatest(${last.asOf}, ${next}.as_of)`,
          },
        });
    },
  };
}

function column<K extends string>(rows: readonly Record<K, string>[], name: K) {
  return sql`${sql.param(rows.map((row) => row[name]))}::text[]`;
}

function toJson({ values, stamps }: Properties) {
  return {
    values: JSON.stringify(Object.fromEntries(values)),
    stamps: JSON.stringify(Object.fromEntries(stamps)),
  };
}
