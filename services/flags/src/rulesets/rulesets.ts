import { type Database, isUnavailable, type Listening } from '@switchboard/database';
import { type Cache, coalesce, createCache, type Reads } from '@switchboard/resilience';
import { createCompiled } from './compiled.ts';
import { createLoad } from './load.ts';
import { bytesOf, type CachedText, type Ruleset } from './ruleset.ts';
import { CHANGED_CHANNEL, createRulesetsStore, type RulesetText } from './store.ts';

export interface Rulesets {
  /** Subscribes to changes made by any instance. May be called again if it throws. */
  start(): Promise<void>;
  /** Calls `onChange` when a project's ruleset has changed, and `onGap` when changes may have been missed. */
  subscribe(onChange: (projectId: string) => void, onGap: () => void): void;
  stop(): Promise<void>;
  /** Returns a project's ruleset, from memory if cached. It is empty if the project has no flags or cohorts. */
  get(projectId: string): Ruleset | Promise<Ruleset>;
  /** Like `get`, but returns the text, without compiling it. It is the same object while it is cached. */
  text(projectId: string): CachedText | Promise<CachedText>;
  /** Compiles a result of `text`, unless that is in memory, too. */
  compiled(projectId: string, text: CachedText): Ruleset;
  /** Counts the memory of data that the caller derived from a text and keeps with it. */
  derived(projectId: string, text: CachedText, bytes: number): void;
  /** Returns false if the last result of `get` or `text` may be stale because the database is unavailable. */
  isCurrent(projectId: string): boolean;
  /** Drops the cached ruleset after a change made by this instance, without waiting for the notification. */
  invalidate(projectId: string): void;
  /** Returns the number of calls of `get` and `text` so far, by whether the text was cached. */
  reads(): Readonly<Reads>;
}

/** Long, because changes are announced and a gap in the announcements is detected within seconds. */
const FRESH_FOR_MS = 3_600_000;

/** The memory of a cached text besides its characters. */
const TEXT_BYTES = 200;

interface RulesetsOptions {
  database: Pick<Database, 'prepared' | 'listen'>;
  /** The maximum memory of cached texts, in bytes. */
  maxTextBytes: number;
  /** The maximum memory of compiled rulesets, in bytes. */
  maxCompiledBytes: number;
}

interface TextCacheOptions {
  load(projectId: string): Promise<RulesetText>;
  /** Returns the time of the last change of each project, in the given order. */
  changesOf(projectIds: readonly string[]): Promise<readonly string[]>;
  maxBytes: number;
}

/**
 * Caches the rulesets of all projects until they change. Texts take a tenth of the memory of compiled rulesets, so more
 * of them are cached.
 */
export function createRulesets(options: RulesetsOptions): Rulesets {
  const { database, maxTextBytes, maxCompiledBytes } = options;
  const { load, changesOf } = createRulesetsStore(database.prepared);
  const cache = createTextCache({ load: createLoad(load), changesOf, maxBytes: maxTextBytes });
  const compiled = createCompiled({ maxBytes: maxCompiledBytes });
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
    get(projectId) {
      const text = cache.get(projectId);
      if (text instanceof Promise) return text.then((loaded) => compiled(projectId, loaded));
      return compiled(projectId, text);
    },
    text: cache.get,
    compiled,
    derived(projectId, text, bytes) {
      text.derivedBytes += bytes;
      cache.resized(projectId);
    },
    isCurrent: cache.isFresh,
    invalidate: cache.invalidate,
    reads: cache.reads,
  };
}

export function createTextCache({ load, changesOf, maxBytes }: TextCacheOptions): Cache<CachedText> {
  // After a gap, every cached project is checked. One query checks all projects requested while it was waiting.
  const changeOf = coalesce(changesOf, { slowAfterMs: 250, maxConcurrent: 4 });
  return createCache<CachedText>({
    maxBytes,
    freshForMs: FRESH_FOR_MS,
    sizeOf: ({ json, derivedBytes }) => TEXT_BYTES + bytesOf(json) + derivedBytes,
    isUnavailable,
    async load(projectId, last) {
      // Keeps the same object, with everything derived from it, if nothing has changed.
      if (last !== undefined && (await changeOf(projectId)) === last.changedAt) return last;
      return { ...(await load(projectId)), compilations: 0, derivedBytes: 0 };
    },
  });
}
