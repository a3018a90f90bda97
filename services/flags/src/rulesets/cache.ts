import { isUnavailable } from '@switchboard/database';
import { LRUCache } from 'lru-cache';
import { within } from '../within.ts';
import type { Ruleset } from './ruleset.ts';

interface CacheOptions {
  /** Bound on the sum of the rulesets' sizes. */
  maxSize: number;
  load(projectId: string): Promise<Ruleset>;
}

/**
 * Rulesets in memory, loaded on first use, once for all who ask meanwhile. One that may be out of date is loaded
 * again before it is used, and used as it is only while the database is away.
 */
export interface RulesetCache {
  get(projectId: string): Ruleset | Promise<Ruleset>;
  /** Whether the last `get` of the project's ruleset still holds: it was not answered for want of the database. */
  isCurrent(projectId: string): boolean;
  /** The project's ruleset has changed. */
  distrust(projectId: string): void;
  /** Changes may have been missed. */
  distrustAll(): void;
}

interface Entry {
  ruleset: Ruleset;
  /** Until then it is used without a look at the database. */
  trustedUntil: number;
  /** It is used only because the database is away. */
  isStopgap: boolean;
}

/** A change that is not announced (a connection lost without a sign) is seen after so long at the latest. */
const TRUSTED_MS = 30_000;
/** How long a ruleset is used on while the database is away, before the database is tried again. */
const AWAY_MS = 400;
const PATIENCE_MS = 250;
const FIRST_LOAD_MS = 3_000;

export function createRulesetCache({ maxSize, load }: CacheOptions): RulesetCache {
  const entries = new LRUCache<string, Entry>({
    maxSize,
    // Compiled, a ruleset weighs a few times its definitions; even an empty one weighs something.
    sizeCalculation: ({ ruleset }) => Math.min(maxSize, ruleset.size + 1000),
  });
  const loads = new Map<string, Promise<Ruleset>>();

  function startLoad(projectId: string, last: Entry | undefined): Promise<Ruleset> {
    const loading: Promise<Ruleset> = loadAgain(
      projectId,
      last,
      () => loads.get(projectId) === loading,
    ).finally(() => {
      if (loads.get(projectId) === loading) loads.delete(projectId);
    });
    loads.set(projectId, loading);
    return loading;
  }

  /** What is loaded is kept only while `isCurrent`: a change announced since then may be newer. */
  async function loadAgain(
    projectId: string,
    last: Entry | undefined,
    isCurrent: () => boolean,
  ): Promise<Ruleset> {
    try {
      const loaded = await within(last === undefined ? FIRST_LOAD_MS : PATIENCE_MS, load(projectId));
      // The same change is the same ruleset, with whatever was made of it.
      const ruleset = last?.ruleset.changedAt === loaded.changedAt ? last.ruleset : loaded;
      const trustedUntil = performance.now() + TRUSTED_MS;
      if (isCurrent()) entries.set(projectId, { ruleset, trustedUntil, isStopgap: false });
      return ruleset;
    } catch (error) {
      if (last === undefined || !isUnavailable(error)) throw error;
      last.isStopgap = true;
      if (isCurrent()) last.trustedUntil = performance.now() + AWAY_MS;
      return last.ruleset;
    }
  }

  return {
    get(projectId) {
      const entry = entries.get(projectId);
      if (entry !== undefined && performance.now() < entry.trustedUntil) return entry.ruleset;
      return loads.get(projectId) ?? startLoad(projectId, entry);
    },
    isCurrent(projectId) {
      const entry = entries.peek(projectId);
      return entry !== undefined && !entry.isStopgap && performance.now() < entry.trustedUntil;
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
