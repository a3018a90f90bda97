import type { Ruleset as CompiledFlags, Decision } from '@switchboard/flag-engine';

type CompiledFlag = CompiledFlags['flags'][number];

// The outcomes of a flag, in order: off, then on or its variations.
const OFF = 0;
const ON = 1;

/** Returns the names of a flag's outcomes. */
export const namesOf = ({ variations }: CompiledFlag): string[] =>
  outcomeNames(variations.map(({ key }) => key));

/** Returns the names of the outcomes of a flag with these variations. */
export const outcomeNames = (variations: readonly string[]): string[] => [
  'off',
  ...(variations.length === 0 ? ['on'] : variations),
];

/** Returns the place of each flag's first outcome among those of all flags, and the number of all outcomes at the end. */
export function offsetsOf({ flags }: CompiledFlags): Uint32Array {
  const offsets = new Uint32Array(flags.length + 1);
  let offset = 0;
  for (const [position, { variations }] of flags.entries()) {
    offset += 1 + Math.max(1, variations.length);
    offsets[position + 1] = offset;
  }
  return offsets;
}

/**
 * Returns the outcomes of flags, a character each: the place of the outcome among those of its flag. A string of
 * one-byte characters is smaller than an array.
 */
export function outcomesOf({ flags }: CompiledFlags, decisions: readonly Decision[]): string {
  const outcomes = Buffer.alloc(flags.length);
  for (let position = 0; position < flags.length; position++) {
    const flag = flags[position];
    const decision = decisions[position];
    if (flag !== undefined && decision !== undefined) outcomes[position] = outcomeOf(flag, decision);
  }
  return outcomes.toString('latin1');
}

export function outcomeOf({ variations }: CompiledFlag, decision: Decision): number {
  if (decision.variant === null) return decision.reason === 'MATCH' ? ON : OFF;
  for (let index = 0; index < variations.length; index++)
    if (variations[index]?.decision === decision) return ON + index;
  return OFF;
}
