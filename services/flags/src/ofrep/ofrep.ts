import {
  type OfrepBulkEvaluation,
  type OfrepErrorCode,
  type OfrepEvaluation,
  ofrepReason,
  streamFlagChanges,
} from '@switchboard/contracts';
import { type Decision, decideAll, evaluateFlag, resolve, type User } from '@switchboard/flag-engine';
import { Rejection } from '@switchboard/http';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { outcomesOf } from '../rulesets/outcomes.ts';
import type { Ruleset } from '../rulesets/ruleset.ts';
import type { Tallies } from '../usage/tallies.ts';

interface OfrepOptions {
  evaluation: Pick<Evaluation, 'resolve'>;
  tallies: Pick<Tallies, 'add' | 'addAll'>;
  /** The public base URL of this API. */
  publicUrl: string;
}

export interface OfrepContext {
  readonly targetingKey?: string | undefined;
  readonly [attribute: string]: unknown;
}

interface Evaluated<T> {
  answer: T;
  /** False if the user state could not be read. Every targeting clause then counts as not matched. */
  isStateKnown: boolean;
}

/** Evaluation according to OpenFeature Remote Evaluation Protocol 0.3. Throws Rejection with its error codes. */
export interface Ofrep {
  evaluate(
    projectId: string,
    key: string,
    context: OfrepContext | undefined,
  ): Promise<Evaluated<OfrepEvaluation>>;
  /**
   * Evaluates all flags. The URL of the event stream contains `projectKey`. The response includes the change that
   * has the ETag `since`. Evaluations that the client reports are not counted.
   */
  evaluateAll(
    project: { id: string; key: string },
    context: OfrepContext | undefined,
    options?: { since?: string | undefined; isReported?: boolean },
  ): Promise<Evaluated<OfrepBulkEvaluation>>;
}

const INACTIVITY_SECONDS = 120;
/** The maximum length of the part of a key that a message quotes. */
const MAX_QUOTED = 80;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function createOfrep({ evaluation, tallies, publicUrl }: OfrepOptions): Ofrep {
  const streamUrl = (key: string) =>
    `${publicUrl.replace(/\/$/, '')}${streamFlagChanges.path}?api_key=${encodeURIComponent(key)}`;

  return {
    async evaluate(projectId, key, context) {
      const person = { projectId, ...personOf(context) };
      const { ruleset, user, isStateKnown } = await evaluation.resolve(person);
      const decision = evaluateFlag(ruleset.compiled, key, user);
      if (decision === undefined) {
        throw new Rejection(404, code('FLAG_NOT_FOUND'), `There is no flag ${key.slice(0, MAX_QUOTED)}.`);
      }
      tallies.add(projectId, ruleset, decision);
      if (decision.reason === 'ERROR') throw new Rejection(400, code('GENERAL'), BROKEN);
      return { answer: answerOf(ruleset, decision, user), isStateKnown };
    },

    async evaluateAll({ id, key }, context, { since, isReported = false } = {}) {
      const person = { projectId: id, ...personOf(context) };
      const known = since !== undefined && INSTANT.test(since) ? since : undefined;
      const { ruleset, user, isStateKnown } = await evaluation.resolve(person, known);
      const decisions = decideAll(ruleset.compiled, user);
      if (!isReported) tallies.addAll(id, ruleset, outcomesOf(ruleset.compiled, decisions));
      const flags = decisions.map((decision) =>
        decision.reason === 'ERROR'
          ? { key: decision.key, errorCode: code('GENERAL'), errorDetails: BROKEN }
          : answerOf(ruleset, decision, user),
      );
      const eventStreams = [
        { type: 'sse' as const, url: streamUrl(key), inactivityDelaySec: INACTIVITY_SECONDS },
      ];
      return {
        answer: { flags, eventStreams, metadata: { generatedAt: ruleset.changedAt } },
        isStateKnown,
      };
    },
  };
}

const BROKEN = 'The definition of the flag cannot be evaluated.';
const code = (name: OfrepErrorCode) => name;

function personOf(context: OfrepContext | undefined) {
  const { targetingKey = '', ...attributes } = context ?? {};
  if (targetingKey.trim() === '') {
    const message = 'context.targetingKey: required. Send the distinct id of the person.';
    throw new Rejection(400, code('TARGETING_KEY_MISSING'), message);
  }
  return { distinctId: targetingKey, attributes };
}

function answerOf({ compiled }: Ruleset, decision: Decision, user: User): OfrepEvaluation {
  const { key } = decision;
  const { value, variant, reason, rule } = resolve(compiled, decision, user);
  const result = { key, ...(value === undefined ? {} : { value }), variant };
  return decision.reason === 'MATCH'
    ? { ...result, reason: ofrepReason.parse(reason), ...(rule === undefined ? {} : { metadata: { rule } }) }
    : // The protocol has no DEFAULT. Providers accept a missing value only with this reason.
      { ...result, reason: 'DISABLED', metadata: { reason: decision.reason } };
}
