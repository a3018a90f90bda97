import { isUnavailable } from '@switchboard/database';
import {
  type Decision,
  decideAll,
  memberships,
  type Person,
  ruleOf,
  type Traits,
  type User,
} from '@switchboard/flag-engine';
import type { Reads } from '@switchboard/resilience';
import type { PersonKey } from '@switchboard/user-state';
import { outcomesOf } from '../rulesets/outcomes.ts';
import type { Ruleset } from '../rulesets/ruleset.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import type { Tallies } from '../usage/tallies.ts';
import type { Answer, KnownPeople, KnownPerson } from '../user-state/known-people.ts';
import { type PersonState, parseUserState } from '../user-state/user-state.ts';
import { answerJson, createAnswers } from './answers.ts';

interface EvaluationOptions {
  rulesets: Pick<Rulesets, 'text' | 'compiled' | 'invalidate'>;
  people: KnownPeople;
  tallies: Pick<Tallies, 'addAll'>;
}

export interface Evaluated {
  /** The response body of GET /v1/flags. */
  body: string;
  /** False if the user state could not be read. Every targeting clause then counts as not matched. */
  isStateKnown: boolean;
}

export interface Evaluation {
  /**
   * Evaluates every flag of the project for a person, synchronously if everything is in memory. With `isAwaited`,
   * the evaluation includes everything stored about the person before the call. Counts the evaluation unless
   * `isReported`, when the client reports what it uses. Throws if no ruleset is cached and none can be read.
   */
  evaluate(person: PersonKey, options: EvaluateOptions): Evaluated | Promise<Evaluated>;
  /**
   * Evaluates flags for a person, with attributes overriding the person's traits. Uses the ruleset changed at
   * `since` or a newer one. Throws if no ruleset is cached and none can be read.
   */
  resolve(person: OverlaidPerson, since?: string): Promise<Resolved>;
  /** Returns the sorted ids of a person's cohorts. Throws if the ruleset or user state cannot be read. */
  memberships(person: PersonKey, isAwaited: boolean): Promise<string[]>;
  /** Returns how often an answer was in memory. */
  reads(): Readonly<Reads>;
}

export interface EvaluateOptions {
  withReasons: boolean;
  isAwaited: boolean;
  isReported: boolean;
}

export interface OverlaidPerson extends PersonKey {
  /** `group.<type>.<trait>` overrides that trait of the person's group. */
  attributes: Traits;
}

export interface Resolved {
  ruleset: Ruleset;
  user: User;
  /** See `Evaluated`. */
  isStateKnown: boolean;
}

const noCohorts: ReadonlySet<string> = new Set();

/** Evaluates a project's flags and cohorts against the stored user state. */
export function createEvaluation({ rulesets, people, tallies }: EvaluationOptions): Evaluation {
  const answers = createAnswers(people);

  function personIfAvailable(
    { projectId, distinctId }: PersonKey,
    isAwaited: boolean,
  ): KnownPerson | Promise<KnownPerson | undefined> {
    const found = people.get(projectId, distinctId, isAwaited);
    if (!(found instanceof Promise)) return found;
    return found.catch((error) => {
      if (isUnavailable(error)) return undefined;
      throw error;
    });
  }

  function answerOf(
    ruleset: Ruleset,
    distinctId: string,
    person: KnownPerson | undefined,
    withReasons: boolean,
  ): Answer {
    if (person === undefined) {
      const user = { distinctId, traits: {}, cohorts: noCohorts, stateUnavailable: true };
      return answerFor(ruleset, user, withReasons);
    }
    const evaluate = () => {
      const user = userOf(ruleset, distinctId, parseUserState(person.state));
      return answerFor(ruleset, user, withReasons);
    };
    return withReasons ? evaluate() : answers.get(person, ruleset.changedAt, evaluate);
  }

  function evaluated(
    { projectId, distinctId }: PersonKey,
    ruleset: Ruleset,
    person: KnownPerson | undefined,
    { withReasons, isReported }: EvaluateOptions,
  ): Evaluated {
    const { body, outcomes } = answerOf(ruleset, distinctId, person, withReasons);
    if (!isReported) tallies.addAll(projectId, ruleset, outcomes);
    return { body, isStateKnown: person !== undefined };
  }

  return {
    reads: answers.reads,

    evaluate(key, options) {
      const person = personIfAvailable(key, options.isAwaited);
      const text = rulesets.text(key.projectId);
      if (!(person instanceof Promise || text instanceof Promise)) {
        return evaluated(key, rulesets.compiled(key.projectId, text), person, options);
      }
      // Compiled at the end: while it waited for the person, the garbage collector would copy the compiled ruleset.
      return Promise.all([text, person]).then(([current, known]) =>
        evaluated(key, rulesets.compiled(key.projectId, current), known, options),
      );
    },

    async resolve({ attributes, ...key }, since) {
      const { projectId, distinctId } = key;
      const [found, known] = await Promise.all([rulesets.text(projectId), personIfAvailable(key, false)]);
      let text = found;
      if (since !== undefined && since > text.changedAt) {
        // Another instance announced a change that this instance has not received yet.
        rulesets.invalidate(projectId);
        text = await rulesets.text(projectId);
      }
      const ruleset = rulesets.compiled(projectId, text);
      if (known === undefined) {
        const user = { distinctId, traits: {}, cohorts: noCohorts, stateUnavailable: true };
        return { ruleset, user, isStateKnown: false };
      }
      const user = userOf(ruleset, distinctId, overlay(parseUserState(known.state), attributes));
      return { ruleset, user, isStateKnown: true };
    },

    async memberships({ projectId, distinctId }, isAwaited) {
      const [text, { state }] = await Promise.all([
        rulesets.text(projectId),
        people.get(projectId, distinctId, isAwaited),
      ]);
      const ruleset = rulesets.compiled(projectId, text);
      const { traits, groups, ...lists } = parseUserState(state);
      return [...cohortsOf(ruleset, { distinctId, traits, groups }, lists)].sort();
    },
  };
}

function answerFor(ruleset: Ruleset, user: User, withReasons: boolean): Answer {
  const { compiled } = ruleset;
  const decisions = decideAll(compiled, user);
  const ruleOfUser = (decision: Decision) => ruleOf(compiled, decision, user)?.label;
  return {
    body: answerJson(ruleset, decisions, withReasons ? ruleOfUser : undefined),
    outcomes: outcomesOf(compiled, decisions),
  };
}

function userOf(ruleset: Ruleset, distinctId: string, { traits, groups, ...lists }: PersonState): User {
  const person = { distinctId, traits, groups, cohorts: noCohorts };
  return ruleset.compiled.usesCohorts ? { ...person, cohorts: cohortsOf(ruleset, person, lists) } : person;
}

const GROUP_ATTRIBUTE = /^group\.([^.]+)\.(.+)$/s;

/** Overrides traits with attributes. The copies have no prototype, so every name is an ordinary property. */
function overlay({ traits, groups, ...lists }: PersonState, attributes: Traits): PersonState {
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
  return { traits: laidTraits, groups: laidGroups, ...lists };
}

function cohortsOf(
  ruleset: Ruleset,
  person: Person,
  { cohorts, did }: Pick<PersonState, 'cohorts' | 'did'>,
): Set<string> {
  const ids = new Set(memberships(ruleset.cohorts, person, did));
  for (const id of cohorts) ids.add(id);
  return ids;
}
