import { isUnavailable } from '@switchboard/database';
import { type Decision, decideAll, memberships, type Person } from '@switchboard/flag-engine';
import type { Ruleset } from '../rulesets/ruleset.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import { nobody, parseUserState, type UserStateText } from '../user-state/lookup.ts';
import type { UserStateReader } from '../user-state/reader.ts';
import { evaluationJson } from './json.ts';
import { createEvaluationMemory } from './memory.ts';

interface EvaluationOptions {
  rulesets: Pick<Rulesets, 'get'>;
  userState: UserStateReader;
}

export interface Evaluated {
  /** The answer to GET /v1/flags. */
  json: string;
  /** false: the user state could not be read, and every clause counted as false. */
  knowsPerson: boolean;
}

export interface Evaluation {
  /** Every flag of the project for a person. Throws when the ruleset was never read and cannot be. */
  evaluate(projectId: string, distinctId: string, withReasons: boolean): Promise<Evaluated>;
  /** The ids of the cohorts a person belongs to, sorted. Throws when ruleset or user state cannot be read. */
  memberships(projectId: string, distinctId: string): Promise<string[]>;
}

const noCohorts: ReadonlySet<string> = new Set();

/** Flags and cohorts of a project against the user state on file. */
export function createEvaluation({ rulesets, userState }: EvaluationOptions): Evaluation {
  const memory = createEvaluationMemory();

  async function stateIfReadable(projectId: string, distinctId: string): Promise<UserStateText | undefined> {
    if (distinctId === '') return nobody;
    try {
      return await userState.read(projectId, distinctId);
    } catch (error) {
      if (isUnavailable(error)) return undefined;
      throw error;
    }
  }

  return {
    async evaluate(projectId, distinctId, withReasons) {
      const reading = stateIfReadable(projectId, distinctId);
      const found = rulesets.get(projectId);
      const [ruleset, state] =
        found instanceof Promise ? await Promise.all([found, reading]) : [found, await reading];
      if (state === undefined) {
        const stranger = { distinctId, traits: {}, cohorts: noCohorts, stateUnavailable: true };
        const decisions = decideAll(ruleset.compiled, stranger);
        return { json: evaluationJson(decisions, withReasons), knowsPerson: false };
      }
      if (withReasons) {
        return { json: evaluationJson(decide(ruleset, distinctId, state), true), knowsPerson: true };
      }
      const evaluate = () => evaluationJson(decide(ruleset, distinctId, state), false);
      const question = { projectId, distinctId, changedAt: ruleset.changedAt, state };
      return { json: memory.recall(question, evaluate), knowsPerson: true };
    },

    async memberships(projectId, distinctId) {
      const reading = distinctId === '' ? nobody : userState.read(projectId, distinctId);
      const [ruleset, text] = await Promise.all([rulesets.get(projectId), reading]);
      const { traits, groups, cohorts } = parseUserState(text);
      return [...cohortsOf(ruleset, { distinctId, traits, groups }, cohorts)].sort();
    },
  };
}

function decide(ruleset: Ruleset, distinctId: string, text: UserStateText): readonly Decision[] {
  const { traits, groups, cohorts } = parseUserState(text);
  const person = { distinctId, traits, groups, cohorts: noCohorts };
  const user = ruleset.asksForCohorts ? { ...person, cohorts: cohortsOf(ruleset, person, cohorts) } : person;
  return decideAll(ruleset.compiled, user);
}

function cohortsOf(ruleset: Ruleset, person: Person, named: readonly string[]): Set<string> {
  const ids = new Set(memberships(ruleset.cohorts, person));
  for (const id of named) ids.add(id);
  return ids;
}
