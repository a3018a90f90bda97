import { LRUCache } from 'lru-cache';
import { DirectoryUnavailable, within } from './errors.ts';

/** A value with its id as the database has it: a short text of its own, where a caller's may hold a whole request. */
export interface Stored<V> {
  id: string;
  value: V;
}

export interface CacheOptions<V> {
  /** Most entries kept; those used longest ago go first. */
  capacity: number;
  read(id: string): Promise<Stored<V> | undefined>;
  /** Whether an error of `read` means that the database is away. */
  isAway(error: unknown): boolean;
}

/**
 * Entries in memory, read on first use. An entry is dropped when its change is announced. When announcements
 * may have been missed, all are distrusted: each is read again before it is used, and is used unread only
 * while the database is away.
 */
export interface Cache<V> {
  get(id: string): V | undefined | Promise<V | undefined>;
  drop(id: string): void;
  distrust(): void;
  size(): number;
}

const unknownCapacity = 10_000;
const unknownForMs = 5_000;
const unreadCapacity = 100_000;
const unreadForMs = 400;
const patienceMs = 250;
/** Longer than any id there can be; such a text is not worth memory or a query. */
const longestId = 5_000;

export function createCache<V extends {}>({ capacity, read, isAway }: CacheOptions<V>): Cache<V> {
  let trusted = growingLru<V>(capacity);
  let distrusted = growingLru<V>(capacity);
  /** Distrusted entries that could not be read again just now. */
  const unread = new LRUCache<string, V>({ maxSize: unreadCapacity, sizeCalculation: one, ttl: unreadForMs });
  const unknown = new LRUCache<string, true>({
    maxSize: unknownCapacity,
    sizeCalculation: one,
    ttl: unknownForMs,
  });
  const reads = new Map<string, Promise<V | undefined>>();

  function get(id: string) {
    const value = trusted.get(id) ?? unread.get(id);
    if (value !== undefined) return value;
    if (id.length > longestId || unknown.has(id)) return undefined;
    return reads.get(id) ?? startRead(id);
  }

  function startRead(id: string): Promise<V | undefined> {
    const reading: Promise<V | undefined> = readAgain(id, () => reads.get(id) === reading).finally(() => {
      if (reads.get(id) === reading) reads.delete(id);
    });
    reads.set(id, reading);
    return reading;
  }

  /** Keeps what it read only while `isCurrent`: a change announced since then may be newer than the read. */
  async function readAgain(id: string, isCurrent: () => boolean): Promise<V | undefined> {
    const last = distrusted.get(id);
    try {
      const stored = await (last === undefined ? read(id) : within(patienceMs, read(id)));
      if (isCurrent()) keep(id, stored);
      return stored?.value;
    } catch (error) {
      // Gone when a change of it was announced meanwhile.
      const still = distrusted.get(id);
      const isLate = error instanceof DirectoryUnavailable;
      if (still === undefined || !(isLate || isAway(error))) throw error;
      unread.set(id, still);
      return still;
    }
  }

  function keep(id: string, stored: Stored<V> | undefined) {
    distrusted.delete(id);
    if (stored === undefined) unknown.set(id, true);
    else trusted.set(stored.id, stored.value);
    if (trusted.size + distrusted.size > capacity) distrusted.pop();
  }

  return {
    get,
    drop(id) {
      for (const entries of [trusted, distrusted, unread, unknown, reads]) entries.delete(id);
    },
    distrust() {
      if (distrusted.size === 0) [trusted, distrusted] = [distrusted, trusted];
      else trusted.rforEach((value, id) => void distrusted.set(id, value));
      for (const entries of [trusted, unread, unknown, reads]) entries.clear();
    },
    size: () => trusted.size + distrusted.size,
  };
}

const one = () => 1;

/** Bounded by a sum of sizes rather than by `max`, which would set the memory aside at once. */
function growingLru<V extends {}>(capacity: number) {
  return new LRUCache<string, V>({ maxSize: capacity, sizeCalculation: one });
}
