import { randomUUID } from 'node:crypto';
import { type Decision, decideAll, type Traits } from '@switchboard/flag-engine';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { outcomesOf } from '../rulesets/outcomes.ts';
import type { Tallies } from '../usage/tallies.ts';

/** A person as PostHog's SDKs describe them. */
export interface PosthogPerson {
  distinctId: string;
  /** Properties of the person, and of groups as `group.<type>.<name>`. They override stored traits. */
  attributes: Traits;
  /** The keys of the flags to evaluate. Absent: all. */
  keys?: readonly string[];
}

/** The answer to `/flags/?v=2`, with the fields of version 1 for old SDKs. */
export interface PosthogFlags {
  flags: Record<string, object>;
  featureFlags: Record<string, boolean | string>;
  featureFlagPayloads: Record<string, string>;
  errorsWhileComputingFlags: boolean;
  requestId: string;
}

const REASONS: Readonly<Record<Decision['reason'], string>> = {
  MATCH: 'condition_match',
  TARGETING_MISS: 'no_condition_match',
  ROLLOUT_MISS: 'out_of_rollout_bound',
  DISABLED: 'flag_disabled',
  PREREQUISITE_FAILED: 'missing_dependency',
  ERROR: 'unknown',
};

interface PosthogOptions {
  evaluation: Pick<Evaluation, 'resolve'>;
  tallies: Pick<Tallies, 'addAll'>;
}

/** Returns the function that evaluates the flags of a person for PostHog's SDKs. */
export function createPosthogFlags({ evaluation, tallies }: PosthogOptions) {
  return async (
    projectId: string,
    { distinctId, attributes, keys }: PosthogPerson,
  ): Promise<PosthogFlags> => {
    const { ruleset, user, isStateKnown } = await evaluation.resolve({ projectId, distinctId, attributes });
    const decisions = decideAll(ruleset.compiled, user);
    tallies.addAll(projectId, ruleset, outcomesOf(ruleset.compiled, decisions));
    const wanted = keys === undefined ? undefined : new Set(keys);
    const asked = decisions.filter(({ key }) => wanted === undefined || wanted.has(key));
    const isOn = ({ reason }: Decision) => reason === 'MATCH';
    const served = asked.filter(({ variant }) => variant !== null);
    return {
      flags: Object.fromEntries(asked.map((decision) => [decision.key, detailOf(decision)])),
      featureFlags: Object.fromEntries(asked.map((one) => [one.key, isOn(one) && (one.variant ?? true)])),
      featureFlagPayloads: Object.fromEntries(served.map(({ key, value }) => [key, payloadOf(value)])),
      errorsWhileComputingFlags: !isStateKnown,
      requestId: randomUUID(),
    };
  };
}

function detailOf({ key, value, variant, reason }: Decision): object {
  return {
    key,
    enabled: reason === 'MATCH',
    ...(variant !== null && { variant }),
    reason: { code: REASONS[reason], condition_index: null, description: reason },
    metadata: { id: 0, version: 1, ...(variant !== null && { payload: payloadOf(value) }) },
  };
}

const payloadOf = (value: unknown): string => JSON.stringify(value ?? null);
