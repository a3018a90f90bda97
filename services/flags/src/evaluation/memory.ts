import { LRUCache } from 'lru-cache';
import type { UserStateText } from '../user-state/lookup.ts';

interface Question {
  projectId: string;
  distinctId: string;
  /** When the ruleset changed last, which no two rulesets of a project have in common. */
  changedAt: string;
  state: UserStateText;
}

interface Remembered {
  changedAt: string;
  state: UserStateText;
  json: string;
}

export interface EvaluationMemory {
  /** What `evaluate` answered the last time, if it was asked the very same; else what it answers now. */
  recall(question: Question, evaluate: () => string): string;
}

const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The last answer to each person. An evaluation follows from the ruleset and the state that was just read alone,
 * so while both are what they were it need not be made again; clients ask for the same person time and again.
 */
export function createEvaluationMemory(): EvaluationMemory {
  const answers = new LRUCache<string, Remembered>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ state, json }, key) => state.length + json.length + key.length + 200,
    maxEntrySize: MOST_BYTES / 16,
  });
  return {
    recall({ projectId, distinctId, changedAt, state }, evaluate) {
      const key = `${projectId}\0${distinctId}`;
      const last = answers.get(key);
      if (last !== undefined && last.changedAt === changedAt && last.state === state) return last.json;
      const json = evaluate();
      answers.set(key, { changedAt, state, json });
      return json;
    },
  };
}
