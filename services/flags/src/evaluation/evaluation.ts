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
/** An empty id is nobody's: there is nothing on file. */
const nobody: UserState = { traits: {}, groups: {}, cohorts: [] };

/** Flags and cohorts of a project against the user state on file. */
export function createEvaluation({ rulesets, userState }: EvaluationOptions): Evaluation {
  async function stateIfReadable(projectId: string, distinctId: string): Promise<UserState | undefined> {
    if (distinctId === '') return nobody;
    try {
      return await userState.read(projectId, distinctId);
    } catch (error) {
      if (isUnavailable(error)) return undefined;
      throw error;
    }
  }

  return {
    async evaluate(projectId, distinctId) {
      const reading = stateIfReadable(projectId, distinctId);
      const found = rulesets.get(projectId);
      const [ruleset, state] =
        found instanceof Promise ? await Promise.all([found, reading]) : [found, await reading];
      if (state === undefined) {
        const stranger = { distinctId, traits: {}, cohorts: noCohorts, stateUnavailable: true };
        return { decisions: decideAll(ruleset.compiled, stranger), knowsPerson: false };
      }
      const person = { distinctId, traits: state.traits, groups: state.groups, cohorts: noCohorts };
      const user = ruleset.asksForCohorts
        ? { ...person, cohorts: cohortsOf(ruleset, person, state) }
        : person;
      return { decisions: decideAll(ruleset.compiled, user), knowsPerson: true };
    },

    async memberships(projectId, distinctId) {
      const reading = distinctId === '' ? nobody : userState.read(projectId, distinctId);
      const [ruleset, state] = await Promise.all([rulesets.get(projectId), reading]);
      const person = { distinctId, traits: state.traits, groups: state.groups };
      return [...cohortsOf(ruleset, person, state)].sort();
    },
  };
}

function cohortsOf(ruleset: Ruleset, person: Person, state: UserState): Set<string> {
  const ids = new Set(memberships(ruleset.cohorts, person));
  for (const id of state.cohorts) ids.add(id);
  return ids;
}
