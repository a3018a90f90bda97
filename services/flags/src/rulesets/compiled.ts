import { LRUCache } from 'lru-cache';
import { type CachedText, compile, type Ruleset } from './ruleset.ts';

/** Returns the compiled ruleset of a project. `text` must be the same object while nothing has changed. */
export type Compiled = (projectId: string, text: CachedText) => Ruleset;

interface Kept {
  readonly text: CachedText;
  readonly ruleset: Ruleset;
}

/**
 * How often a ruleset is compiled before it displaces others. Rulesets of projects that are rarely requested are then
 * collected while they are young. Otherwise collecting old ones takes most of the CPU of many projects.
 */
const COMPILATIONS = 8;

/** Compiles rulesets, and keeps those in use in memory: all of them, or if they exceed it those used often. */
export function createCompiled({ maxBytes }: { maxBytes: number }): Compiled {
  const kept = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ ruleset }) => sizeOf(ruleset),
  });
  let last: Kept | undefined;

  const sizeOf = ({ bytes }: Ruleset) => Math.min(maxBytes, Math.ceil(bytes));

  function isWorthKeeping(projectId: string, { text, ruleset }: Kept): boolean {
    if (kept.has(projectId) || kept.calculatedSize + sizeOf(ruleset) <= maxBytes) return true;
    text.compilations = (text.compilations + 1) % COMPILATIONS;
    return text.compilations === 0;
  }

  return (projectId, text) => {
    const known = kept.get(projectId);
    if (known?.text === text) return known.ruleset;
    // Requests that waited for the same text share its ruleset.
    if (last?.text === text) return last.ruleset;
    last = { text, ruleset: compile(text) };
    if (isWorthKeeping(projectId, last)) kept.set(projectId, last);
    return last.ruleset;
  };
}
