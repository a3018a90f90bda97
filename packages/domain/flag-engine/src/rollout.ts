import {
  type HashableSuffix,
  type HashedPrefix,
  hashableSuffix,
  hashPrefix,
  hashTogether,
  murmur3,
} from './murmur3.ts';

const ROLLOUT_SEED = 0;
const VARIATION_SEED = 86028157;

/** The prefix (`flagKey:`) of the two hashes of a flag, hashed once when the ruleset is compiled. */
export interface FlagHashes {
  readonly rollout: HashedPrefix;
  readonly variation: HashedPrefix;
}

export function flagHashes(flagKey: string): FlagHashes {
  const prefix = `${flagKey}:`;
  return { rollout: hashPrefix(prefix, ROLLOUT_SEED), variation: hashPrefix(prefix, VARIATION_SEED) };
}

/** Returns the rollout bucket of an id for a flag: 1 to 100, independent of the percentage. */
export function rolloutBucket(flagKey: string, distinctId: string): number {
  return bucket(murmur3(`${flagKey}:${distinctId}`, ROLLOUT_SEED));
}

/** Returns whether an id is in the rollout. An empty id is in the rollout only at 100. */
export function inRollout(percentage: number, flagKey: string, distinctId: string): boolean {
  return isRolledOut(percentage, flagHashes(flagKey), hashableSuffix(distinctId));
}

/**
 * Returns the variation served to an id: the first in stored order with a cumulative weight that reaches the hash of
 * the id. An empty id gets the first variation with a positive weight. Returns `undefined` if no weight is positive.
 */
export function chooseVariation<V extends { readonly weight: number }>(
  variations: readonly V[],
  flagKey: string,
  distinctId: string,
): V | undefined {
  return pickVariation(variations, flagHashes(flagKey), hashableSuffix(distinctId));
}

export function isRolledOut(percentage: number, hashes: FlagHashes, id: HashableSuffix): boolean {
  if (percentage === 100) return true;
  if (percentage === 0 || id.length === 0) return false;
  return bucket(hashTogether(hashes.rollout, id)) <= percentage;
}

export function pickVariation<V extends { readonly weight: number }>(
  variations: readonly V[],
  hashes: FlagHashes,
  id: HashableSuffix,
): V | undefined {
  let total = 0;
  for (const variation of variations) total += variation.weight;
  if (total <= 0) return undefined;
  const hash = id.length === 0 || variations.length === 1 ? 0 : hashTogether(hashes.variation, id);
  let left = (hash % total) + 1;
  for (const variation of variations) {
    left -= variation.weight;
    if (left <= 0) return variation;
  }
  return undefined;
}

function bucket(hash: number): number {
  return (hash % 100) + 1;
}
