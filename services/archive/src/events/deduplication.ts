import { type ArchivedEvent, eventKey, isSamePlace, type Place } from './archived-event.ts';
import type { EventsStore } from './store.ts';

type SeenStore = Pick<EventsStore, 'insertSeen' | 'findSeen' | 'insertDuplicates'>;

/**
 * Returns the events that are at the first place where they were seen, and records those that are not as duplicates.
 * A place that is read again gets the same answer.
 */
export async function deduplicate(
  store: SeenStore,
  events: readonly ArchivedEvent[],
): Promise<Set<ArchivedEvent>> {
  if (events.length === 0) return new Set();
  const keyed = events.map((event) => [eventKey(event.projectId, event.eventId), event] as const);
  const candidates = new Map<string, ArchivedEvent>();
  for (const [key, event] of keyed) if (!candidates.has(key)) candidates.set(key, event);
  const places = await firstPlaces(store, candidates);
  const isFirst = ([key, event]: (typeof keyed)[number]) => {
    const first = places.get(key);
    return first !== undefined && isSamePlace(first, event);
  };
  const duplicates = keyed.filter((one) => !isFirst(one));
  if (duplicates.length > 0) await store.insertDuplicates(duplicates);
  return new Set(keyed.filter(isFirst).map(([, event]) => event));
}

async function firstPlaces(
  store: SeenStore,
  candidates: ReadonlyMap<string, ArchivedEvent>,
): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  // One pass, unless the seven days of a row end between the two statements.
  for (let left = [...candidates]; left.length > 0; left = left.filter(([key]) => !places.has(key))) {
    for (const key of await store.insertSeen(left)) {
      const place = candidates.get(key);
      if (place !== undefined) places.set(key, place);
    }
    const known = left.filter(([key]) => !places.has(key)).map(([key]) => key);
    if (known.length === 0) break;
    for (const [key, place] of await store.findSeen(known)) places.set(key, place);
  }
  return places;
}
