import { isUnavailable } from '@switchboard/database';
import {
  type Decision,
  decideAll,
  memberships,
  type Person,
  type Traits,
  type User,
} from '@switchboard/flag-engine';
import type { Reads } from '@switchboard/resilience';
import type { Ruleset } from '../rulesets/ruleset.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import {
  EMPTY_STATE,
  type KnownState,
  type PersonState,
  parseUserState,
  type UserState,
  type UserStateJson,
} from '../user-state/user-state.ts';
import { type AnswerBody, answerJson, createAnswerCache } from './answers.ts';

interface EvaluationOptions {
  rulesets: Pick<Rulesets, 'get' | 'invalidate'>;
  userState: UserState;
}

export interface Evaluated {
  /** Of GET /v1/flags. */
  body: AnswerBody;
  /** False if the user state could not be read. Every targeting clause then counts as not matched. */
  isStateKnown: boolean;
}

export interface Evaluation {
  /** Evaluates every flag of the project for a person. Throws if no ruleset is cached and none can be read. */
  evaluate(projectId: string, distinctId: string, withReasons: boolean): Promise<Evaluated>;
  /**
   * Evaluates flags for a person with attributes laid over their traits, of the ruleset changed at `since` or a newer
   * one. Throws if no ruleset is cached and none can be read.
   */
  resolve(person: OverlaidPerson, since?: string): Promise<Resolved>;
  /** The sorted ids of the cohorts a person belongs to. Throws if the ruleset or user state cannot be read. */
  memberships(projectId: string, distinctId: string): Promise<string[]>;
  /** How often an answer was in memory. */
  reads(): Readonly<Reads>;
}

export interface OverlaidPerson {
  projectId: string;
  distinctId: string;
  /** `group.<type>.<trait>` is laid over that trait of the person's group. */
  attributes: Traits;
}

export interface Resolved {
  ruleset: Ruleset;
  user: User;
  /** As of `Evaluated`. */
  isStateKnown: boolean;
}

const noCohorts: ReadonlySet<string> = new Set();

/** Evaluates a project's flags and cohorts against the user state on file. */
export function createEvaluation({ rulesets, userState }: EvaluationOptions): Evaluation {
  const answers = createAnswerCache();

  function readStateIfAvailable(
    projectId: string,
    distinctId: string,
    known: KnownState | undefined,
  ): UserStateJson | Promise<UserStateJson | undefined> {
    if (distinctId === '') return EMPTY_STATE;
    return userState.read(projectId, distinctId, known).catch((error) => {
      if (isUnavailable(error)) return undefined;
      throw error;
    });
  }

  return {
    reads: answers.reads,

    async evaluate(projectId, distinctId, withReasons) {
      const last = answers.last(projectId, distinctId);
      const reading = readStateIfAvailable(projectId, distinctId, last);
      const found = rulesets.get(projectId);
      const [ruleset, state] =
        found instanceof Promise ? await Promise.all([found, reading]) : [found, await reading];
      if (state === undefined) {
        const user = { distinctId, traits: {}, cohorts: noCohorts, stateUnavailable: true };
        const decisions = decideAll(ruleset.compiled, user);
        return { body: answerJson(decisions, withReasons), isStateKnown: false };
      }
      if (withReasons) {
        return { body: answerJson(decide(ruleset, distinctId, state), true), isStateKnown: true };
      }
      const evaluate = () => answerJson(decide(ruleset, distinctId, state), false);
      const inputs = { projectId, distinctId, changedAt: ruleset.changedAt, state, last };
      return { body: answers.get(inputs, evaluate), isStateKnown: true };
    },

    async resolve({ projectId, distinctId, attributes }, since) {
      const reading = readStateIfAvailable(projectId, distinctId, answers.last(projectId, distinctId));
      const [found, state] = await Promise.all([rulesets.get(projectId), reading]);
      let ruleset = found;
      if (since !== undefined && since > ruleset.changedAt) {
        // Another instance announced a change of which this one has not heard yet.
        rulesets.invalidate(projectId);
        ruleset = await rulesets.get(projectId);
      }
      if (state === undefined) {
        const user = { distinctId, traits: {}, cohorts: noCohorts, stateUnavailable: true };
        return { ruleset, user, isStateKnown: false };
      }
      const user = userOf(ruleset, distinctId, overlay(parseUserState(state), attributes));
      return { ruleset, user, isStateKnown: true };
    },

    async memberships(projectId, distinctId) {
      const known = answers.last(projectId, distinctId);
      const reading = distinctId === '' ? EMPTY_STATE : userState.read(projectId, distinctId, known);
      const [ruleset, state] = await Promise.all([rulesets.get(projectId), reading]);
      const { traits, groups, cohorts } = parseUserState(state);
      return [...cohortsOf(ruleset, { distinctId, traits, groups }, cohorts)].sort();
    },
  };
}

function decide(ruleset: Ruleset, distinctId: string, state: UserStateJson): readonly Decision[] {
  return decideAll(ruleset.compiled, userOf(ruleset, distinctId, parseUserState(state)));
}

function userOf(ruleset: Ruleset, distinctId: string, { traits, groups, cohorts }: PersonState): User {
  const person = { distinctId, traits, groups, cohorts: noCohorts };
  return ruleset.usesCohorts ? { ...person, cohorts: cohortsOf(ruleset, person, cohorts) } : person;
}

const GROUP_ATTRIBUTE = /^group\.([^.]+)\.(.+)$/s;

/** Lays attributes over traits. The copies have no prototype, so any name is an ordinary one. */
function overlay({ traits, groups, cohorts }: PersonState, attributes: Traits): PersonState {
  const laidTraits: Record<string, unknown> = Object.assign(Object.create(null), traits);
  const laidGroups: Record<string, Record<string, unknown>> = Object.assign(Object.create(null), groups);
  for (const name of Object.keys(attributes)) {
    const [, type, trait] = GROUP_ATTRIBUTE.exec(name) ?? [];
    if (type === undefined || trait === undefined) {
      laidTraits[name] = attributes[name];
      continue;
    }
    const group = Object.assign(Object.create(null), laidGroups[type]);
    group[trait] = attributes[name];
    laidGroups[type] = group;
  }
  return { traits: laidTraits, groups: laidGroups, cohorts };
}

function cohortsOf(ruleset: Ruleset, person: Person, listedIn: readonly string[]): Set<string> {
  const ids = new Set(memberships(ruleset.cohorts, person));
  for (const id of listedIn) ids.add(id);
  return ids;
}
