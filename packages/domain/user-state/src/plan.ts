import { GROUP_TYPES_MAX_COUNT, TRAITS_MAX_BYTES, TRAITS_MAX_COUNT } from '@switchboard/contracts';
import type { StateChange } from './decode.ts';
import { type Bounds, type Properties, planMerge } from './merge.ts';

const traitBounds = (owner: string): Bounds => ({
  maxCount: TRAITS_MAX_COUNT,
  maxBytes: TRAITS_MAX_BYTES,
  tooMany: `the ${owner} would have more than ${TRAITS_MAX_COUNT} traits`,
  tooLarge: `the ${owner} would have more than ${TRAITS_MAX_BYTES} bytes of traits`,
});
export const PERSON_BOUNDS = traitBounds('person');
export const GROUP_BOUNDS = traitBounds('group');
const TOO_MANY_TYPES = `the person would have groups of more than ${GROUP_TYPES_MAX_COUNT} types`;
export const MEMBERSHIP_BOUNDS: Bounds = {
  maxCount: GROUP_TYPES_MAX_COUNT,
  maxBytes: TRAITS_MAX_BYTES,
  tooMany: TOO_MANY_TYPES,
  tooLarge: TOO_MANY_TYPES,
};

/** Stores the day of a change if it is later than all before. Returns whether it was. */
export function isSeenLater(
  seen: { seenOn: string | null },
  { stamp: [, receivedAt] }: StateChange,
): boolean {
  const day = new Date(receivedAt).toISOString().slice(0, 'YYYY-MM-DD'.length);
  if (seen.seenOn !== null && seen.seenOn >= day) return false;
  seen.seenOn = day;
  return true;
}

/** Plans to merge a change into the traits or groups of a person. Throws OutOfBounds. */
export function planPerson(
  change: StateChange,
  person: { traits: Properties; groups: Properties },
): (() => void) | undefined {
  return change.kind === 'identify'
    ? planMerge(person.traits, change.traits, change.stamp, PERSON_BOUNDS)
    : planMerge(person.groups, { [change.type]: change.groupId }, change.stamp, MEMBERSHIP_BOUNDS);
}
