import { isTooSlow, isUnavailable } from '@switchboard/database';
import { coalesce } from '@switchboard/resilience';
import type { RulesetsStore, RulesetText } from './store.ts';

/** Limits the result of a query: a document can exceed a megabyte. */
const MAX_PROJECTS_PER_QUERY = 20;
/** A slower query does not delay later reads, which use another query, up to `MAX_QUERIES`. */
const SLOW_QUERY_MS = 10;
const MAX_QUERIES = 4;

type Loaded = { text: RulesetText } | { failure: unknown };

/**
 * Returns a function that loads the ruleset of a project. Projects share queries, which take most of the time of a
 * request for a project that is not in memory. If one cannot be read, or only slowly, the others are read without it.
 */
export function createLoad(load: RulesetsStore['load']): (projectId: string) => Promise<RulesetText> {
  async function loadTogether(projectIds: readonly string[]): Promise<Loaded[]> {
    try {
      return (await load(projectIds)).map((text) => ({ text }));
    } catch (failure) {
      if (projectIds.length === 1 || (isUnavailable(failure) && !isTooSlow(failure))) throw failure;
      return Promise.all(projectIds.map(loadAlone));
    }
  }

  async function loadAlone(projectId: string): Promise<Loaded> {
    try {
      const [text] = await load([projectId]);
      return text === undefined ? { failure: new Error('no ruleset was returned') } : { text };
    } catch (failure) {
      return { failure };
    }
  }

  const loadShared = coalesce(loadTogether, {
    maxBatch: MAX_PROJECTS_PER_QUERY,
    slowAfterMs: SLOW_QUERY_MS,
    maxConcurrent: MAX_QUERIES,
    gathers: true,
  });
  return async (projectId) => {
    const loaded = await loadShared(projectId);
    if ('failure' in loaded) throw loaded.failure;
    return loaded.text;
  };
}
