import type { Database } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { createJoinsStore, type Execute, executeIn, type JoinsStore } from './joins/store.ts';
import { type Properties, type Stamp, toProperties } from './merge.ts';
import type { PersonKey } from './person-key.ts';
import { appliedPositions } from './schema.ts';

export interface StoredPerson extends PersonKey {
  traits: Properties;
  /** The id of the person's group, by group type. */
  groups: Properties;
  /** The UTC day of the last call about the person: YYYY-MM-DD. Null: not known yet. */
  seenOn: string | null;
}

export interface GroupKey {
  projectId: string;
  type: string;
  id: string;
}

export interface StoredGroup extends GroupKey {
  traits: Properties;
  /** The same as for a person. */
  seenOn: string | null;
}

/** The applied position of one partition. */
export type AppliedPosition = typeof appliedPositions.$inferSelect;

export interface StateStore {
  /** Returns one position per partition. */
  listPositions(): Promise<AppliedPosition[]>;
  /** Runs updates in one transaction. */
  update<T>(work: (updates: StateUpdates) => Promise<T>): Promise<T>;
}

export interface StateUpdates {
  /** The ids of persons. Undefined where every distinct id is a person. */
  joins?: JoinsStore;
  /** Reads and locks people until the transaction ends. Creates missing ones. */
  lockPeople(keys: readonly PersonKey[]): Promise<StoredPerson[]>;
  savePeople(changed: readonly StoredPerson[]): Promise<void>;
  /** Reads and locks groups until the transaction ends. Creates missing ones. */
  lockGroups(keys: readonly GroupKey[]): Promise<StoredGroup[]>;
  saveGroups(changed: readonly StoredGroup[]): Promise<void>;
  /** Saves the position of a partition. A redelivered batch cannot move it back. */
  savePosition(position: AppliedPosition): Promise<void>;
}

type Values = Record<string, unknown>;
type Stamps = Record<string, Stamp>;

/**
 * Statements use postgres.js, which prepares them and sends the statements of one call together. Drizzle would take
 * two round trips for each.
 */
type Sql = Database['sql'];
type Transaction = Parameters<Parameters<Sql['begin']>[1]>[0];

/** Creates a store of people and groups. With `joinsIds`, identify calls also join ids, in the tables of `joins-schema`. */
export function createStateStore(
  database: Pick<Database, 'drizzle' | 'sql'>,
  { joinsIds = false }: { joinsIds?: boolean } = {},
): StateStore {
  return {
    listPositions: () => database.drizzle.select().from(appliedPositions),

    async update(work) {
      const { done } = await database.sql.begin(async (tx) => {
        const joins = joinsIds ? { joins: createJoinsStore(executeIn(tx)) } : {};
        return { done: await work({ ...createUpdates(tx), ...joins }) };
      });
      return done;
    },
  };
}

interface PersonRow {
  project_id: string;
  distinct_id: string;
  traits: Values;
  trait_stamps: Stamps;
  groups: Values;
  group_stamps: Stamps;
  seen_on: string | null;
}

interface GroupRow {
  project_id: string;
  type: string;
  id: string;
  traits: Values;
  trait_stamps: Stamps;
  seen_on: string | null;
}

/**
 * Creates the statements. PostgreSQL plans them once per connection, so `lateral` and `on conflict` force the use of
 * primary keys regardless of its table statistics.
 */
function createUpdates(tx: Transaction): StateUpdates {
  return {
    async lockPeople(keys) {
      const projectIds = keys.map(({ projectId }) => projectId);
      const distinctIds = keys.map(({ distinctId }) => distinctId);
      // Every writer locks in the same order, so that two of them cannot deadlock.
      const [, rows] = await Promise.all([
        tx`
          insert into people (project_id, distinct_id)
          select * from unnest(${projectIds}::text[], ${distinctIds}::text[])
          order by 1, 2 on conflict do nothing`,
        tx<PersonRow[]>`
          select found.* from (
            select * from unnest(${projectIds}::text[], ${distinctIds}::text[]) order by 1, 2
          ) as named(project_id, distinct_id), lateral (
            select project_id, distinct_id, traits, trait_stamps, groups, group_stamps, seen_on from people
            where people.project_id = named.project_id and people.distinct_id = named.distinct_id
            for update) as found`,
      ]);
      return rows.map((row) => ({
        projectId: row.project_id,
        distinctId: row.distinct_id,
        traits: toProperties(row.traits, row.trait_stamps),
        groups: toProperties(row.groups, row.group_stamps),
        seenOn: row.seen_on,
      }));
    },

    async savePeople(changed) {
      const traits = changed.map((person) => toJson(person.traits));
      const memberships = changed.map((person) => toJson(person.groups));
      await tx`
        insert into people (project_id, distinct_id, traits, trait_stamps, groups, group_stamps, seen_on)
        select * from unnest(
          ${changed.map(({ projectId }) => projectId)}::text[],
          ${changed.map(({ distinctId }) => distinctId)}::text[],
          ${traits.map(({ values }) => values)}::text[]::json[],
          ${traits.map(({ stamps }) => stamps)}::text[]::json[],
          ${memberships.map(({ values }) => values)}::text[]::json[],
          ${memberships.map(({ stamps }) => stamps)}::text[]::json[],
          ${changed.map(({ seenOn }) => seenOn)}::text[]::date[])
        on conflict (project_id, distinct_id) do update set
          traits = excluded.traits, trait_stamps = excluded.trait_stamps,
          groups = excluded.groups, group_stamps = excluded.group_stamps, seen_on = excluded.seen_on`;
    },

    async lockGroups(keys) {
      const projectIds = keys.map(({ projectId }) => projectId);
      const types = keys.map(({ type }) => type);
      const ids = keys.map(({ id }) => id);
      const [, rows] = await Promise.all([
        tx`
          insert into groups (project_id, type, id)
          select * from unnest(${projectIds}::text[], ${types}::text[], ${ids}::text[])
          order by 1, 2, 3 on conflict do nothing`,
        tx<GroupRow[]>`
          select found.* from (
            select * from unnest(${projectIds}::text[], ${types}::text[], ${ids}::text[]) order by 1, 2, 3
          ) as named(project_id, type, id), lateral (
            select project_id, type, id, traits, trait_stamps, seen_on from groups
            where groups.project_id = named.project_id and groups.type = named.type and groups.id = named.id
            for update) as found`,
      ]);
      return rows.map((row) => ({
        projectId: row.project_id,
        type: row.type,
        id: row.id,
        traits: toProperties(row.traits, row.trait_stamps),
        seenOn: row.seen_on,
      }));
    },

    async saveGroups(changed) {
      const traits = changed.map((group) => toJson(group.traits));
      await tx`
        insert into groups (project_id, type, id, traits, trait_stamps, seen_on)
        select * from unnest(
          ${changed.map(({ projectId }) => projectId)}::text[],
          ${changed.map(({ type }) => type)}::text[],
          ${changed.map(({ id }) => id)}::text[],
          ${traits.map(({ values }) => values)}::text[]::json[],
          ${traits.map(({ stamps }) => stamps)}::text[]::json[],
          ${changed.map(({ seenOn }) => seenOn)}::text[]::date[])
        on conflict (project_id, type, id) do update set
          traits = excluded.traits, trait_stamps = excluded.trait_stamps, seen_on = excluded.seen_on`;
    },

    savePosition: (position) => savePosition(executeIn(tx), position),
  };
}

/** Saves the position of a batch, unless a later one is saved. */
export async function savePosition(
  execute: Execute,
  { topic, partition, nextOffset, asOf }: AppliedPosition,
): Promise<void> {
  // Newer records at a lower offset come from a topic that was deleted and created again.
  await execute(sql`
    insert into applied_positions as last (topic, partition, next_offset, as_of)
    values (${topic}, ${partition}, ${nextOffset}, ${asOf.toISOString()})
    on conflict (topic, partition) do update set
      next_offset = case
        when excluded.next_offset > last.next_offset or excluded.as_of > last.as_of
        then excluded.next_offset else last.next_offset end,
      as_of = greatest(last.as_of, excluded.as_of)`);
}

function toJson({ values, stamps }: Properties) {
  return {
    values: JSON.stringify(Object.fromEntries(values)),
    stamps: JSON.stringify(Object.fromEntries(stamps)),
  };
}
