import { sql } from 'drizzle-orm';
import type { Tx } from '../db.ts';
import { groups, people } from '../schema.ts';
import type { Properties, Stamp } from './merge.ts';

export interface PersonKey {
  projectId: string;
  distinctId: string;
}

export interface PersonState extends PersonKey {
  traits: Properties;
  /** The id of the group the person is in, by group type. */
  groups: Properties;
}

export interface GroupKey {
  projectId: string;
  type: string;
  id: string;
}

export interface GroupState extends GroupKey {
  traits: Properties;
}

type Stored = Record<string, unknown>;
type Stamps = Record<string, Stamp>;

/** Reads people, empty ones for those not known yet, and keeps them from other writers until the transaction ends. */
export async function lockPeople(tx: Tx, keys: readonly PersonKey[]): Promise<PersonState[]> {
  const named = sql`unnest(${column(keys, 'projectId')}, ${column(keys, 'distinctId')}) as named(project_id, distinct_id)`;
  // In one order everywhere, so that two writers never wait for each other.
  await tx.execute(sql`
    insert into ${people} (project_id, distinct_id)
    select * from ${named} order by 1, 2 on conflict do nothing`);
  const rows = await tx.execute<{
    project_id: string;
    distinct_id: string;
    traits: Stored;
    trait_stamps: Stamps;
    groups: Stored;
    group_stamps: Stamps;
  }>(sql`
    select people.* from ${named} join ${people} using (project_id, distinct_id)
    order by 1, 2 for update of people`);
  return rows.map((row) => ({
    projectId: row.project_id,
    distinctId: row.distinct_id,
    traits: asProperties(row.traits, row.trait_stamps),
    groups: asProperties(row.groups, row.group_stamps),
  }));
}

export async function savePeople(tx: Tx, states: readonly PersonState[]): Promise<void> {
  const traits = states.map((state) => asJson(state.traits));
  const memberships = states.map((state) => asJson(state.groups));
  await tx.execute(sql`
    update ${people} set
      traits = changed.traits, trait_stamps = changed.trait_stamps,
      groups = changed.groups, group_stamps = changed.group_stamps
    from unnest(
      ${column(states, 'projectId')}, ${column(states, 'distinctId')},
      ${column(traits, 'values')}::json[], ${column(traits, 'stamps')}::json[],
      ${column(memberships, 'values')}::json[], ${column(memberships, 'stamps')}::json[]
    ) as changed(project_id, distinct_id, traits, trait_stamps, groups, group_stamps)
    where people.project_id = changed.project_id and people.distinct_id = changed.distinct_id`);
}

/** As lockPeople. */
export async function lockGroups(tx: Tx, keys: readonly GroupKey[]): Promise<GroupState[]> {
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
    traits: Stored;
    trait_stamps: Stamps;
  }>(sql`
    select groups.* from ${named} join ${groups} using (project_id, type, id)
    order by 1, 2, 3 for update of groups`);
  return rows.map((row) => ({
    projectId: row.project_id,
    type: row.type,
    id: row.id,
    traits: asProperties(row.traits, row.trait_stamps),
  }));
}

export async function saveGroups(tx: Tx, states: readonly GroupState[]): Promise<void> {
  const traits = states.map((state) => asJson(state.traits));
  await tx.execute(sql`
    update ${groups} set traits = changed.traits, trait_stamps = changed.trait_stamps
    from unnest(
      ${column(states, 'projectId')}, ${column(states, 'type')}, ${column(states, 'id')},
      ${column(traits, 'values')}::json[], ${column(traits, 'stamps')}::json[]
    ) as changed(project_id, type, id, traits, trait_stamps)
    where groups.project_id = changed.project_id and groups.type = changed.type and groups.id = changed.id`);
}

function column<K extends string>(rows: readonly Record<K, string>[], name: K) {
  return sql`${sql.param(rows.map((row) => row[name]))}::text[]`;
}

function asProperties(values: Stored, stamps: Stamps): Properties {
  return { values: new Map(Object.entries(values)), stamps: new Map(Object.entries(stamps)) };
}

function asJson({ values, stamps }: Properties) {
  return {
    values: JSON.stringify(Object.fromEntries(values)),
    stamps: JSON.stringify(Object.fromEntries(stamps)),
  };
}
