import type { Database, Listening } from '@switchboard/database';
import { createRulesetCache } from './cache.ts';
import { prepareRuleset, type Ruleset } from './ruleset.ts';
import { changedChannel, loadRuleset } from './store.ts';

export interface Rulesets {
  /** Starts hearing changes, those of other instances too. May be called again when it throws. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A project's ruleset, from memory when it is known; the empty one when the project has none. */
  get(projectId: string): Ruleset | Promise<Ruleset>;
  /** This instance has changed the project's ruleset: it need not wait to be told so. */
  changed(projectId: string): void;
}

interface RulesetOptions {
  database: Database;
  maxSize: number;
}

/** The rulesets of all projects, in memory for as long as they do not change. */
export function createRulesets({ database, maxSize }: RulesetOptions): Rulesets {
  const cache = createRulesetCache({
    maxSize,
    load: async (projectId) => prepareRuleset(await loadRuleset(database.drizzle, projectId)),
  });
  let listening: Listening | undefined;
  return {
    async start() {
      listening ??= await database.listen(changedChannel, cache.distrust, cache.distrustAll);
    },
    async stop() {
      await listening?.stop();
    },
    get: cache.get,
    changed: cache.distrust,
  };
}
