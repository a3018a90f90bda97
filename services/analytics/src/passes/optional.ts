import { type Chains, createChains, type Exclusion, requiredBefore } from './chains.ts';

type ChainRules = Parameters<typeof createChains>[0];

/**
 * Returns, for each optional step, chains that end at it in its place: no event of the next step that is not optional
 * comes between the last such step and it. Undefined for other steps.
 */
export function createOptional(rules: ChainRules): (Chains | undefined)[] {
  const { isOptional, exclusions } = rules;
  return isOptional.map((optional, step) => {
    if (!optional) return undefined;
    const inPlace: Exclusion = {
      from: requiredBefore(isOptional, step),
      to: step,
      bit: isOptional.indexOf(false, step),
    };
    const before = exclusions
      .filter(({ from }) => from < step)
      .map((one) => ({ ...one, to: Math.min(one.to, step) }));
    return createChains({
      ...rules,
      isOptional: [...isOptional.slice(0, step), false],
      exclusions: [...before, inPlace],
    });
  });
}
