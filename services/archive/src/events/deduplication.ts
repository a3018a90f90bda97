import { isSamePlace, type KeyedPlace } from './archived-event.ts';
import type { EventsStore } from './store.ts';

type SeenStore = Pick<EventsStore, 'insertSeen' | 'findSeen' | 'insertDuplicates'>;

/**
 * Returns the events that are at the first place where they were seen, and records those that are not as duplicates.
 * A place that is read again gets the same answer.
 */
export async function deduplicate(store: SeenStore, events: readonly KeyedPlace[]): Promise<Set<KeyedPlace>> {
  const candidates = new Map<string, KeyedPlace>();
  for (const event of events) if (!candidates.has(event.key)) candidates.set(event.key, event);
  const firsts = await firstsOf(store, [...candidates.values()]);
  const duplicates = events.filter((event) => !firsts.has(event));
  if (duplicates.length > 0) await store.insertDuplicates(duplicates);
  return firsts;
}

/** Of events with different keys. */
async function firstsOf(store: SeenStore, candidates: readonly KeyedPlace[]): Promise<Set<KeyedPlace>> {
  const firsts = new Set<KeyedPlace>();
  // One pass, unless the seven days of a row end between the two statements.
  for (let left = candidates; left.length > 0; ) {
    const inserted = await store.insertSeen(left);
    const places = inserted === left.length ? undefined : await store.findSeen(left.map(({ key }) => key));
    for (const event of left) {
      const first = places === undefined ? event : places.get(event.key);
      if (first !== undefined && isSamePlace(first, event)) firsts.add(event);
    }
    left = places === undefined ? [] : left.filter(({ key }) => !places.has(key));
  }
  return firsts;
}
