import type { Database } from '@switchboard/database';
import type { Tx } from '../db.ts';
import { mergeProperties } from './merge.ts';
import { type AppliedPosition, savePosition } from './positions.ts';
import type { GroupChange, StateChange } from './records.ts';
import { lockGroups, lockPeople, saveGroups, savePeople } from './store.ts';

/** Merges changes into the people and groups they are about, and notes how far that is: all of it, or nothing. */
export async function applyChanges(
  { drizzle }: Pick<Database, 'drizzle'>,
  changes: readonly StateChange[],
  position: AppliedPosition,
): Promise<void> {
  const groupChanges = changes.filter(hasGroupTraits);
  await drizzle.transaction(async (tx) => {
    if (changes.length > 0) await applyToPeople(tx, changes);
    if (groupChanges.length > 0) await applyToGroups(tx, groupChanges);
    await savePosition(tx, position);
  });
}

async function applyToPeople(tx: Tx, changes: readonly StateChange[]): Promise<void> {
  const byPerson = Map.groupBy(changes, personKey);
  const people = await lockPeople(tx, firsts(byPerson));
  const changed = people.filter((person) => {
    const results = (byPerson.get(personKey(person)) ?? []).map((change) =>
      change.kind === 'identify'
        ? mergeProperties(person.traits, change.traits, change.stamp)
        : mergeProperties(person.groups, { [change.type]: change.groupId }, change.stamp),
    );
    return results.includes(true);
  });
  if (changed.length > 0) await savePeople(tx, changed);
}

type NamedGroup = GroupChange & { groupId: string };

async function applyToGroups(tx: Tx, changes: readonly NamedGroup[]): Promise<void> {
  const named = changes.map((change) => ({ ...change, id: change.groupId }));
  const byGroup = Map.groupBy(named, groupKey);
  const groups = await lockGroups(tx, firsts(byGroup));
  const changed = groups.filter((group) => {
    const results = (byGroup.get(groupKey(group)) ?? []).map(({ traits, stamp }) =>
      mergeProperties(group.traits, traits, stamp),
    );
    return results.includes(true);
  });
  if (changed.length > 0) await saveGroups(tx, changed);
}

function hasGroupTraits(change: StateChange): change is StateChange & NamedGroup {
  return change.kind === 'group' && change.groupId !== null && Object.keys(change.traits).length > 0;
}

function firsts<T>(grouped: ReadonlyMap<string, readonly T[]>): T[] {
  return [...grouped.values()].flatMap((members) => members.slice(0, 1));
}

// No id holds a NUL.
const personKey = (of: { projectId: string; distinctId: string }) => `${of.projectId}\0${of.distinctId}`;
const groupKey = (of: { projectId: string; type: string; id: string }) =>
  `${of.projectId}\0${of.type}\0${of.id}`;
