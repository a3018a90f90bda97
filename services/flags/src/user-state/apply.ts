import type { RecordBatch } from '@switchboard/event-log';
import type { GroupChange, StateChange } from './decode.ts';
import { mergeProperties } from './merge.ts';
import type { AppliedPosition, UserStateStore, UserStateUpdates } from './store.ts';

/** Merges changes into the people and groups they are about and saves the position, all in one transaction. */
export async function applyChanges(
  store: Pick<UserStateStore, 'update'>,
  changes: readonly StateChange[],
  position: AppliedPosition,
): Promise<void> {
  const groupChanges = changes.filter(hasGroupTraits);
  await store.update(async (updates) => {
    if (changes.length > 0) await updatePeople(updates, changes);
    if (groupChanges.length > 0) await updateGroups(updates, groupChanges);
    await updates.savePosition(position);
  });
}

/** The position of a partition once the batch is applied. */
export function positionAfter({ topic, partition, records, nextOffset }: RecordBatch): AppliedPosition {
  const newest = records.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0);
  return { topic, partition, nextOffset: Number(nextOffset), asOf: new Date(newest) };
}

async function updatePeople(updates: UserStateUpdates, changes: readonly StateChange[]): Promise<void> {
  const byPerson = Map.groupBy(changes, personKey);
  const people = await updates.lockPeople(firstOfEach(byPerson));
  const changed = people.filter((person) => {
    const results = (byPerson.get(personKey(person)) ?? []).map((change) =>
      change.kind === 'identify'
        ? mergeProperties(person.traits, change.traits, change.stamp)
        : mergeProperties(person.groups, { [change.type]: change.groupId }, change.stamp),
    );
    return results.includes(true);
  });
  if (changed.length > 0) await updates.savePeople(changed);
}

type JoinedGroup = GroupChange & { groupId: string };

async function updateGroups(updates: UserStateUpdates, changes: readonly JoinedGroup[]): Promise<void> {
  const withIds = changes.map((change) => ({ ...change, id: change.groupId }));
  const byGroup = Map.groupBy(withIds, groupKey);
  const groups = await updates.lockGroups(firstOfEach(byGroup));
  const changed = groups.filter((group) => {
    const results = (byGroup.get(groupKey(group)) ?? []).map(({ traits, stamp }) =>
      mergeProperties(group.traits, traits, stamp),
    );
    return results.includes(true);
  });
  if (changed.length > 0) await updates.saveGroups(changed);
}

function hasGroupTraits(change: StateChange): change is StateChange & JoinedGroup {
  return change.kind === 'group' && change.groupId !== null && Object.keys(change.traits).length > 0;
}

function firstOfEach<T>(grouped: ReadonlyMap<string, readonly T[]>): T[] {
  return [...grouped.values()].flatMap((members) => members.slice(0, 1));
}

// Ids cannot contain NUL.
const personKey = (of: { projectId: string; distinctId: string }) => `${of.projectId}\0${of.distinctId}`;
const groupKey = (of: { projectId: string; type: string; id: string }) =>
  `${of.projectId}\0${of.type}\0${of.id}`;
