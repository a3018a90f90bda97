import { isUnavailable } from '@switchboard/database';
import { type Decision, decideAll, memberships, type Person } from '@switchboard/flag-engine';
import type { Ruleset } from '../rulesets/ruleset.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import { EMPTY_STATE, parseUserState, type UserState, type UserStateJson } from '../user-state/user-state.ts';
import { answerJson, createAnswerCache } from './answers.ts';

interface EvaluationOptions {
  rulesets: Pick<Rulesets, 'get'>;
  userState: UserState;
}

export interface Evaluated {
  /** The body of GET /v1/flags. */
  json: string;
  /** False if the user state could not be read. Every targeting clause then counts as not matched. */
  isStateKnown: boolean;
}

export interface Evaluation {
  /** Evaluates every flag of the project for a person. Throws if no ruleset is cached and none can be read. */
  evaluate(projectId: string, distinctId: string, withReasons: boolean): Promise<Evaluated>;
  /** The sorted ids of the cohorts a person belongs to. Throws if the ruleset or user state cannot be read. */
  memberships(projectId: string, distinctId: string): Promise<string[]>;
}

const noCohorts: ReadonlySet<string> = new Set();

/** Evaluates a project's flags and cohorts against the user state on file. */
export function createEvaluation({ rulesets, userState }: EvaluationOptions): Evaluation {
  const answers = createAnswerCache();

  function readStateIfAvailable(
    projectId: string,
    distinctId: string,
  ): UserStateJson | Promise<UserStateJson | undefined> {
    if (distinctId === '') return EMPTY_STATE;
    const known = answers.knownState(projectId, distinctId);
    return userState.read(projectId, distinctId, known).catch((error) => {
      if (isUnavailable(error)) return undefined;
      throw error;
    });
  }

  return {
    async evaluate(projectId, distinctId, withReasons) {
      const reading = readStateIfAvailable(projectId, distinctId);
      const found = rulesets.get(projectId);
      const [ruleset, state] =
        found instanceof Promise ? await Promise.all([found, reading]) : [found, await reading];
      if (state === undefined) {
        const user = { distinctId, traits: {}, cohorts: noCohorts, stateUnavailable: true };
        const decisions = decideAll(ruleset.compiled, user);
        return { json: answerJson(decisions, withReasons), isStateKnown: false };
      }
      if (withReasons) {
        return { json: answerJson(decide(ruleset, distinctId, state), true), isStateKnown: true };
      }
      const evaluate = () => answerJson(decide(ruleset, distinctId, state), false);
      const inputs = { projectId, distinctId, changedAt: ruleset.changedAt, state };
      return { json: answers.get(inputs, evaluate), isStateKnown: true };
    },

    async memberships(projectId, distinctId) {
      const known = answers.knownState(projectId, distinctId);
      const reading = distinctId === '' ? EMPTY_STATE : userState.read(projectId, distinctId, known);
      const [ruleset, state] = await Promise.all([rulesets.get(projectId), reading]);
      const { traits, groups, cohorts } = parseUserState(state);
      return [...cohortsOf(ruleset, { distinctId, traits, groups }, cohorts)].sort();
    },
  };
}

function decide(ruleset: Ruleset, distinctId: string, state: UserStateJson): readonly Decision[] {
  const { traits, groups, cohorts } = parseUserState(state);
  const person = { distinctId, traits, groups, cohorts: noCohorts };
  const user = ruleset.usesCohorts ? { ...person, cohorts: cohortsOf(ruleset, person, cohorts) } : person;
  return decideAll(ruleset.compiled, user);
}

function cohortsOf(ruleset: Ruleset, person: Person, listedIn: readonly string[]): Set<string> {
  const ids = new Set(memberships(ruleset.cohorts, person));
  for (const id of listedIn) ids.add(id);
  return ids;
}
