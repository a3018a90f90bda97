import { isUnavailable } from '@switchboard/database';
import { type Decision, decideAll, memberships, type Person } from '@switchboard/flag-engine';
import type { Ruleset } from '../rulesets/ruleset.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import type { UserState } from '../user-state/lookup.ts';
import type { UserStateReader } from '../user-state/reader.ts';

interface EvaluationOptions {
  rulesets: Pick<Rulesets, 'get'>;
  userState: UserStateReader;
}

export interface Evaluated {
  /** One a flag. */
  decisions: readonly Decision[];
  /** false: the user state could not be read, and every clause counted as false. */
  knowsPerson: boolean;
}

export interface Evaluation {
  /** Every flag of the project for a person. Throws when the ruleset was never read and cannot be. */
  evaluate(projectId: string, distinctId: string): Promise<Evaluated>;
  /** The ids of the cohorts a person belongs to, sorted. Throws when ruleset or user state cannot be read. */
  memberships(projectId: string, distinctId: string): Promise<string[]>;
}

const noCohorts: ReadonlySet<string> = new Set();
const nobody: UserState = { traits: {}, groups: {}, cohorts: [] };

/** Flags and cohorts of a project against the user state on file. */
export function createEvaluation({ rulesets, userState }: EvaluationOptions): Evaluation {
  /** An empty id is nobody's: there is nothing on file. */
  async function stateOf(projectId: string, distinctId: string): Promise<UserState> {
    return distinctId === '' ? nobody : userState.read(projectId, distinctId);
  }

  async function stateIfReadable(projectId: string, distinctId: string): Promise<UserState | undefined> {
    try {
      return await stateOf(projectId, distinctId);
    } catch (error) {
      if (isUnavailable(error)) return undefined;
      throw error;
    }
  }

  return {
    async evaluate(projectId, distinctId) {
      const [ruleset, state] = await Promise.all([
        rulesets.get(projectId),
        stateIfReadable(projectId, distinctId),
      ]);
      if (state === undefined) {
        const stranger = { distinctId, traits: {}, cohorts: noCohorts, stateUnavailable: true };
        return { decisions: decideAll(ruleset.compiled, stranger), knowsPerson: false };
      }
      const person: Person = { distinctId, traits: state.traits, groups: state.groups };
      const cohorts = ruleset.asksForCohorts ? new Set(cohortsOf(ruleset, person, state)) : noCohorts;
      return { decisions: decideAll(ruleset.compiled, { ...person, cohorts }), knowsPerson: true };
    },

    async memberships(projectId, distinctId) {
      const [ruleset, state] = await Promise.all([rulesets.get(projectId), stateOf(projectId, distinctId)]);
      const person = { distinctId, traits: state.traits, groups: state.groups };
      return [...new Set(cohortsOf(ruleset, person, state))].sort();
    },
  };
}

function cohortsOf(ruleset: Ruleset, person: Person, state: UserState): string[] {
  return [...state.cohorts, ...memberships(ruleset.cohorts, person)];
}
