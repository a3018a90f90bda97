import { BUILT_IN_NAMES } from '@switchboard/contracts';

/** The lines of a breakdown that are of no one value, in their order. A value may itself be called Other. */
export const REST_LINES = [
  { label: BUILT_IN_NAMES.other, builtIn: 'other' },
  { label: BUILT_IN_NAMES.none, builtIn: 'none' },
] as const;
