import { BUILT_IN_NAMES } from '@switchboard/contracts';

export const OTHER = { label: BUILT_IN_NAMES.other, builtIn: 'other' } as const;
export const NONE = { label: BUILT_IN_NAMES.none, builtIn: 'none' } as const;

/** The lines of a breakdown that are of no one value, in their order. A value may itself be called Other. */
export const REST_LINES = [OTHER, NONE];

const EMPTY = { label: BUILT_IN_NAMES.empty, builtIn: 'empty' } as const;

/** The line of the value with a label. An empty text has no name of its own. */
export function partOf(label: string) {
  return label === '' ? EMPTY : { label };
}
