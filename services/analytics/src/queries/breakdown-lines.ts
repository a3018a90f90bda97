import { BUILT_IN_NAMES } from '@switchboard/contracts';

export const OTHER = { label: BUILT_IN_NAMES.other, builtIn: 'other' } as const;
export const NONE = { label: BUILT_IN_NAMES.none, builtIn: 'none' } as const;

/** The lines of a breakdown that do not stand for a single value, in order. A value may also be called Other. */
export const REST_LINES = [OTHER, NONE];

export const EMPTY = { label: BUILT_IN_NAMES.empty, builtIn: 'empty' } as const;

/** Returns the line of the value with a label. An empty text gets a built-in name. */
export function partOf(label: string) {
  return label === '' ? EMPTY : { label };
}
