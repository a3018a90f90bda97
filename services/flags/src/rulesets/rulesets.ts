import type { Database, Listening } from '@switchboard/database';
import { createRulesetCache } from './cache.ts';
import { prepareRuleset, type Ruleset } from './ruleset.ts';
import { changedChannel, loadRuleset } from './store.ts';

export interface Rulesets {
  /** Starts hearing changes, those of other instances too. May be called again when it throws. */
  start(): Promise<void>;
  /** Calls `onChange` with the project whose ruleset has changed; `onGap` when any may have. */
  follow(onChange: (projectId: string) => void, onGap: () => void): void;
  stop(): Promise<void>;
  /** A project's ruleset, from memory when it is known; the empty one when the project has none. */
  get(projectId: string): Ruleset | Promise<Ruleset>;
  /** Whether what `get` has just answered is as of now, and no stopgap while the database is away. */
  isCurrent(projectId: string): boolean;
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
  const followers: { onChange(projectId: string): void; onGap(): void }[] = [];
  let listening: Listening | undefined;

  // From memory first: whoever is told finds the new one.
  function changed(projectId: string): void {
    cache.distrust(projectId);
    for (const { onChange } of followers) onChange(projectId);
  }

  function changesMissed(): void {
    cache.distrustAll();
    for (const { onGap } of followers) onGap();
  }

  return {
    async start() {
      listening ??= await database.listen(changedChannel, changed, changesMissed);
    },
    async stop() {
      await listening?.stop();
    },
    follow: (onChange, onGap) => void followers.push({ onChange, onGap }),
    get: cache.get,
    isCurrent: cache.isCurrent,
    changed: cache.distrust,
  };
}
