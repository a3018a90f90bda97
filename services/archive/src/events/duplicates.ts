import { isSamePlace, type KeyedPlace, type KeyedRecord, recordOf } from './event-key.ts';
import type { EventsStore } from './store.ts';

type SeenStore = Pick<EventsStore, 'insertSeen' | 'findSeen' | 'insertDuplicates'>;

/**
 * Returns the events that were first seen at another place, and records them as duplicates. Deterministic for a place
 * that is read again.
 */
export async function findDuplicates(
  store: SeenStore,
  records: readonly KeyedRecord[],
): Promise<KeyedPlace[]> {
  const count = records.reduce((sum, { lines }) => sum + lines.length, 0);
  // Usually all events are new, and need no individual work.
  if (count === 0 || (await store.insertSeen(records)) === count) return [];
  const events = records.flatMap(placesOf);
  const candidates = new Map<string, KeyedPlace>();
  for (const event of events) if (!candidates.has(event.key)) candidates.set(event.key, event);
  const firsts = await firstsOf(store, [...candidates.values()]);
  const duplicates = events.filter((event) => !firsts.has(event));
  if (duplicates.length > 0) await store.insertDuplicates(duplicates);
  return duplicates;
}

/**
 * Returns the candidates that are at their first place. Their keys differ, and they were inserted if they had no
 * place.
 */
async function firstsOf(store: SeenStore, candidates: readonly KeyedPlace[]): Promise<Set<KeyedPlace>> {
  const firsts = new Set<KeyedPlace>();
  // Takes one pass, unless the seven days of a row end between the two statements.
  for (let left = candidates; left.length > 0; ) {
    const places = await store.findSeen(left.map(({ key }) => key));
    for (const event of left) {
      const first = places.get(event.key);
      if (first !== undefined && isSamePlace(first, event)) firsts.add(event);
    }
    left = left.filter(({ key }) => !places.has(key));
    if (left.length > 0) await store.insertSeen(left.map(recordOf));
  }
  return firsts;
}

function placesOf({ keys, lines, partition, offset, acceptedAt }: KeyedRecord): KeyedPlace[] {
  if (lines.length === 0) return [];
  return keys
    .split(',')
    .map((key, index) => ({ key, partition, offset, line: lines[index] ?? 0, acceptedAt }));
}
