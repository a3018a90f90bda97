import type { RecordBatch } from '@switchboard/event-log';
import type { GroupChange, StateChange } from './decode.ts';
import { beginJoins, PartsIds } from './joins/apply.ts';
import { OutOfBounds, planMerge } from './merge.ts';
import { GROUP_BOUNDS, isSeenLater, planPerson } from './plan.ts';
import type { AppliedPosition, StateStore, StateUpdates, StoredGroup, StoredPerson } from './store.ts';

/** A change that is not applied, and the reason. */
export interface Rejection {
  change: StateChange;
  reason: string;
}

/**
 * Merges changes into their people and groups, joins ids and saves the position, in one transaction. Returns the
 * changes that would exceed the bounds of a person or a group. No part of those is applied, except that their ids are
 * joined.
 */
export async function applyChanges(
  store: Pick<StateStore, 'update'>,
  changes: readonly StateChange[],
  position?: AppliedPosition,
): Promise<Rejection[]> {
  const apply = (parts: ReadonlySet<string>) =>
    store.update((updates) => applyIn(updates, changes, position, parts));
  try {
    return await apply(new Set());
  } catch (error) {
    if (!(error instanceof PartsIds)) throw error;
    return apply(error.projectIds);
  }
}

/** `parts` are the projects of which an identified id had been joined, which needs the exclusive lock. */
async function applyIn(
  updates: StateUpdates,
  changes: readonly StateChange[],
  position: AppliedPosition | undefined,
  parts: ReadonlySet<string>,
): Promise<Rejection[]> {
  const described = changes.flatMap(groupOf);
  // One round trip. PostgreSQL runs the statements in this order, so the projects are locked before their rows.
  const [joining, storedPeople, storedGroups] = await Promise.all([
    beginJoins(updates.joins, changes, parts),
    updates.lockPeople([...byKey(changes, personKey).values()]),
    described.length === 0 ? [] : updates.lockGroups([...byKey(described, groupKey).values()]),
  ]);
  const people = byKey(storedPeople, personKey);
  const groups = byKey(storedGroups, groupKey);
  await joining?.lockPersons();
  const changedPeople = new Set<StoredPerson>();
  const changedGroups = new Set<StoredGroup>();
  const rejections: Rejection[] = [];
  for (const change of changes) {
    const person = people.get(personKey(change));
    if (person === undefined) throw new Error('lockPeople returned no row for a person');
    const [named] = groupOf(change);
    const group = named === undefined ? undefined : groups.get(groupKey(named));
    if (isSeenLater(person, change)) changedPeople.add(person);
    if (group !== undefined && isSeenLater(group, change)) changedGroups.add(group);
    try {
      const mergePerson = planPerson(change, person);
      const mergeGroup = group && planMerge(group.traits, change.traits, change.stamp, GROUP_BOUNDS);
      if (mergePerson !== undefined) changedPeople.add(person);
      if (mergeGroup !== undefined && group !== undefined) changedGroups.add(group);
      mergePerson?.();
      mergeGroup?.();
      joining?.fold(change);
    } catch (error) {
      if (!(error instanceof OutOfBounds)) throw error;
      rejections.push({ change, reason: error.message });
    }
  }
  // Ids are joined after people are saved, because joining reads their traits.
  await Promise.all([
    changedPeople.size > 0 ? updates.savePeople([...changedPeople]) : undefined,
    changedGroups.size > 0 ? updates.saveGroups([...changedGroups]) : undefined,
    position === undefined ? undefined : updates.savePosition(position),
    joining?.save(),
  ]);
  return rejections;
}

/** Runs the statements of `applyChanges` without rows. Throws if they currently fail regardless of the changes. */
export async function tryStatements(store: Pick<StateStore, 'update'>): Promise<void> {
  await store.update(async (updates) => {
    await updates.lockPeople([]);
    await updates.lockGroups([]);
    await updates.savePeople([]);
    await updates.saveGroups([]);
  });
}

/** Returns the position of a partition after the batch is applied. */
export function positionAfter({ topic, partition, records, nextOffset }: RecordBatch): AppliedPosition {
  const newest = records.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0);
  return { topic, partition, nextOffset: Number(nextOffset), asOf: new Date(newest) };
}

/** Returns the group with traits set by a change, if any. */
export function groupOf(change: StateChange): (GroupChange & { id: string })[] {
  if (change.kind !== 'group' || change.groupId === null) return [];
  return Object.keys(change.traits).length === 0 ? [] : [{ ...change, id: change.groupId }];
}

function byKey<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T> {
  return new Map(all.map((one) => [keyOf(one), one]));
}

// Ids cannot contain NUL.
const personKey = (of: { projectId: string; distinctId: string }) => `${of.projectId}\0${of.distinctId}`;
const groupKey = (of: { projectId: string; type: string; id: string }) =>
  `${of.projectId}\0${of.type}\0${of.id}`;
