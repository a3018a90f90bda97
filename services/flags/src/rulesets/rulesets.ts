import { type Database, isUnavailable, type Listening } from '@switchboard/database';
import { type Cache, coalesce, createCache, type Reads } from '@switchboard/resilience';
import { compile, type Ruleset } from './ruleset.ts';
import { CHANGED_CHANNEL, createRulesetsStore, type StoredRuleset } from './store.ts';

export interface Rulesets {
  /** Subscribes to changes made by any instance. May be called again if it throws. */
  start(): Promise<void>;
  /** Calls `onChange` when a project's ruleset has changed, and `onGap` when changes may have been missed. */
  subscribe(onChange: (projectId: string) => void, onGap: () => void): void;
  stop(): Promise<void>;
  /** Returns a project's ruleset, from memory if cached. It is empty if the project has no flags or cohorts. */
  get(projectId: string): Ruleset | Promise<Ruleset>;
  /** Returns false if the last result of `get` may be stale because the database is unavailable. */
  isCurrent(projectId: string): boolean;
  /** Drops the cached ruleset after a change made by this instance, without waiting for the notification. */
  invalidate(projectId: string): void;
  /** Returns the number of calls of `get` so far, by whether the ruleset was cached. */
  reads(): Readonly<Reads>;
}

/** Limits the result of a query: a document can exceed a megabyte. */
const MAX_PROJECTS_PER_QUERY = 20;
/** A slower query does not delay later reads, which use another query, up to `MAX_QUERIES`. */
const SLOW_QUERY_MS = 10;
const MAX_QUERIES = 4;

/** Long, because changes are announced and a gap in the announcements is detected within seconds. */
const FRESH_FOR_MS = 3_600_000;

interface RulesetsOptions {
  database: Pick<Database, 'prepared' | 'listen'>;
  /** The maximum memory of cached rulesets, in bytes. */
  maxBytes: number;
}

interface RulesetCacheOptions {
  load(projectId: string): Promise<StoredRuleset>;
  /** Returns the time of the last change of each project, in the given order. */
  changesOf(projectIds: readonly string[]): Promise<readonly string[]>;
  maxBytes: number;
}

/** Caches the rulesets of all projects until they change. */
export function createRulesets({ database, maxBytes }: RulesetsOptions): Rulesets {
  const { load, changesOf } = createRulesetsStore(database.prepared);
  // Projects that are not in memory share queries, which take most of the time of such a request.
  const loadOne = coalesce(load, {
    maxBatch: MAX_PROJECTS_PER_QUERY,
    slowAfterMs: SLOW_QUERY_MS,
    maxConcurrent: MAX_QUERIES,
    gathers: true,
  });
  const cache = createRulesetCache({ load: loadOne, changesOf, maxBytes });
  const subscribers: { onChange(projectId: string): void; onGap(): void }[] = [];
  let listening: Listening | undefined;

  // Invalidates before notifying subscribers, so that they read the new ruleset.
  function changed(projectId: string): void {
    cache.invalidate(projectId);
    for (const { onChange } of subscribers) onChange(projectId);
  }

  function changesMissed(): void {
    cache.invalidateAll();
    for (const { onGap } of subscribers) onGap();
  }

  return {
    async start() {
      listening ??= await database.listen(CHANGED_CHANNEL, changed, changesMissed);
    },
    async stop() {
      await listening?.stop();
    },
    subscribe: (onChange, onGap) => void subscribers.push({ onChange, onGap }),
    get: cache.get,
    isCurrent: cache.isFresh,
    invalidate: cache.invalidate,
    reads: cache.reads,
  };
}

export function createRulesetCache({ load, changesOf, maxBytes }: RulesetCacheOptions): Cache<Ruleset> {
  // After a gap, every cached project is checked. One query checks all projects requested while it was waiting.
  const changeOf = coalesce(changesOf, { slowAfterMs: 250, maxConcurrent: 4 });
  return createCache<Ruleset>({
    maxBytes,
    freshForMs: FRESH_FOR_MS,
    sizeOf: ({ bytes }) => bytes,
    isUnavailable,
    async load(projectId, last) {
      // Keeps the same object, with everything derived from it, if nothing has changed.
      if (last !== undefined && (await changeOf(projectId)) === last.changedAt) return last;
      return compile(await load(projectId));
    },
  });
}
