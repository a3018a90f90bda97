import {
  type HashableSuffix,
  type HashedPrefix,
  hashableSuffix,
  hashPrefix,
  hashTogether,
  murmur3,
} from './murmur3.ts';

const rolloutSeed = 0;
const variationSeed = 86028157;

/** The flag's part of its two hashes (`flagKey:`), hashed once when the ruleset is compiled. */
export interface FlagHashes {
  readonly rollout: HashedPrefix;
  readonly variation: HashedPrefix;
}

export function flagHashes(flagKey: string): FlagHashes {
  const prefix = `${flagKey}:`;
  return { rollout: hashPrefix(prefix, rolloutSeed), variation: hashPrefix(prefix, variationSeed) };
}

/** Where an id stands in a flag's rollout: 1 to 100, the same for every percentage. */
export function rolloutBucket(flagKey: string, distinctId: string): number {
  return bucket(murmur3(`${flagKey}:${distinctId}`, rolloutSeed));
}

/** Whether an id is in the rollout. An empty id is in at 100 only. */
export function inRollout(percentage: number, flagKey: string, distinctId: string): boolean {
  return isRolledOut(percentage, flagHashes(flagKey), hashableSuffix(distinctId));
}

/**
 * The variation an id is served: the first in stored order whose cumulative weight reaches the id's point.
 * An empty id gets the first that has weight. `undefined` when there is no weight at all.
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
