import { type Measure, measured } from '@switchboard/resilience';
import type { ListedObject, ObjectStore } from './types.ts';

/**
 * Wraps a store and measures its calls: reads until the first byte of the object is available, lists until their
 * first object.
 */
export function measuredStore(store: ObjectStore, measure: Measure): ObjectStore {
  async function* list(prefix: string): AsyncGenerator<ListedObject> {
    const objects = store.list(prefix)[Symbol.asyncIterator]();
    const first = await measured(measure, 'list', () => objects.next());
    if (first.done) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => objects };
  }

  return {
    ...store,
    list,
    put: (key, bytes) => measured(measure, 'put', () => store.put(key, bytes)),
    get: (key, range) => measured(measure, 'get', () => store.get(key, range)),
    delete: (key) => measured(measure, 'delete', () => store.delete(key)),
  };
}
