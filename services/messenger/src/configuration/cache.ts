import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '@switchboard/database';
import { LRUCache } from 'lru-cache';

interface CacheOptions<V extends object> {
  load(projectId: string): Promise<V>;
  /** Bytes a value takes in memory, about. */
  sizeOf(value: V): number;
  maxSize: number;
}

/** Values by project in memory: read once, and again when they may have changed. */
export interface ProjectCache<V> {
  get(projectId: string): V | Promise<V>;
  /** The project's value has changed: the next `get` reads it again. */
  distrust(projectId: string): void;
  /** Changes may have been missed. */
  distrustAll(): void;
}

interface Entry<V> {
  value: V;
  trustedUntil: number;
}

/** Whatever went wrong, a change is seen after so long at the latest. */
const TRUSTED_MS = 30_000;
/** How long the last value is used on while the database is away, before it is asked again. */
const AWAY_MS = 400;
/** How long a request waits for the database when there is a last value. */
const PATIENCE_MS = 250;

export function createProjectCache<V extends object>({
  load,
  sizeOf,
  maxSize,
}: CacheOptions<V>): ProjectCache<V> {
  const entries = new LRUCache<string, Entry<V>>({
    maxSize,
    sizeCalculation: ({ value }) => Math.min(maxSize, sizeOf(value) + 500),
  });
  const loads = new Map<string, Promise<V>>();

  async function loadAgain(projectId: string, isCurrent: () => boolean): Promise<V> {
    const last = entries.get(projectId);
    const loaded = load(projectId).then((value) => {
      if (isCurrent()) entries.set(projectId, { value, trustedUntil: performance.now() + TRUSTED_MS });
      return value;
    });
    if (last === undefined) return loaded;
    try {
      const value = await Promise.race([loaded, sleep(PATIENCE_MS, undefined, { ref: false })]);
      if (value !== undefined) return value;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    // When it is late, how it ends is of no interest any more.
    loaded.catch(() => undefined);
    last.trustedUntil = performance.now() + AWAY_MS;
    return last.value;
  }

  function startLoad(projectId: string): Promise<V> {
    // What is loaded is kept only while no change was announced meanwhile.
    const isCurrent = () => loads.get(projectId) === loading;
    const loading: Promise<V> = loadAgain(projectId, isCurrent).finally(() => {
      if (isCurrent()) loads.delete(projectId);
    });
    loads.set(projectId, loading);
    return loading;
  }

  return {
    get(projectId) {
      const entry = entries.get(projectId);
      if (entry !== undefined && performance.now() < entry.trustedUntil) return entry.value;
      // While the database does not answer, one request waits for it and the others get the last value.
      const loading = loads.get(projectId);
      if (loading === undefined) return startLoad(projectId);
      return entry !== undefined && entry.trustedUntil > 0 ? entry.value : loading;
    },
    distrust(projectId) {
      const entry = entries.peek(projectId);
      if (entry !== undefined) entry.trustedUntil = 0;
      loads.delete(projectId);
    },
    distrustAll() {
      for (const entry of entries.values()) entry.trustedUntil = 0;
      loads.clear();
    },
  };
}
