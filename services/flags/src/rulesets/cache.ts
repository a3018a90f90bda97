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
  invalidate(projectId: string): void;
  /** Changes may have been missed. */
  invalidateAll(): void;
}

interface Entry {
  ruleset: Ruleset;
  /** Until then it is used without a look at the database. */
  trustedUntil: number;
  /** It is used only because the database is away. */
  isStopgap: boolean;
}

interface Load {
  loading: Promise<Ruleset>;
  /** What those who ask now are answered, together: what is loaded, or a stopgap when that takes long. */
  answer: Promise<Ruleset> | undefined;
  isOutdated: boolean;
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
  const loads = new Map<string, Load>();

  function startLoad(projectId: string): Load {
    const under: Load = { loading: finishLoad(), answer: undefined, isOutdated: false };
    loads.set(projectId, under);
    return under;

    /** However long it takes: what was not waited for is of use to the next who asks. */
    async function finishLoad(): Promise<Ruleset> {
      try {
        const loaded = await load(projectId);
        const last = entries.peek(projectId)?.ruleset;
        // The same change is the same ruleset, with whatever was made of it.
        const ruleset = last?.changedAt === loaded.changedAt ? last : loaded;
        const trustedUntil = performance.now() + TRUSTED_MS;
        if (!under.isOutdated) entries.set(projectId, { ruleset, trustedUntil, isStopgap: false });
        return ruleset;
      } finally {
        if (!under.isOutdated) loads.delete(projectId);
      }
    }
  }

  async function answerOf(under: Load, last: Entry | undefined): Promise<Ruleset> {
    try {
      return await within(last === undefined ? FIRST_LOAD_MS : PATIENCE_MS, under.loading);
    } catch (error) {
      if (last === undefined || !isUnavailable(error)) throw error;
      last.isStopgap = true;
      if (!under.isOutdated) last.trustedUntil = performance.now() + AWAY_MS;
      return last.ruleset;
    } finally {
      under.answer = undefined;
    }
  }

  /** A change was announced: what is being loaded may be older. */
  function outdate(under: Load | undefined): void {
    if (under !== undefined) under.isOutdated = true;
  }

  return {
    get(projectId) {
      const entry = entries.get(projectId);
      if (entry !== undefined && performance.now() < entry.trustedUntil) return entry.ruleset;
      const under = loads.get(projectId) ?? startLoad(projectId);
      under.answer ??= answerOf(under, entry);
      return under.answer;
    },
    isCurrent(projectId) {
      const entry = entries.peek(projectId);
      return entry !== undefined && !entry.isStopgap && performance.now() < entry.trustedUntil;
    },
    invalidate(projectId) {
      const entry = entries.peek(projectId);
      if (entry !== undefined) entry.trustedUntil = 0;
      outdate(loads.get(projectId));
      loads.delete(projectId);
    },
    invalidateAll() {
      for (const entry of entries.values()) entry.trustedUntil = 0;
      for (const under of loads.values()) outdate(under);
      loads.clear();
    },
  };
}
