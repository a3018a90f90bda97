import { oneOf, type RawSearch, text } from '../../app/page.ts';
import { INTENTS } from './words.ts';

export const STATES = ['on', 'off'] as const;
export const PARTS = ['rules', 'targeting', 'variations', 'prerequisites', 'schedule'] as const;
export type Part = (typeof PARTS)[number];

/** Parses the filters, the order, and the project to compare with. A minus before `sort` reverses it. */
export const search = (raw: RawSearch) => {
  const sort = text(raw['sort']) ?? 'key';
  return {
    find: text(raw['find']),
    state: oneOf(STATES, raw['state']),
    has: oneOf(PARTS, raw['has']),
    intent: oneOf(INTENTS, raw['intent']),
    sort,
    compare: text(raw['compare']),
    only: oneOf(['different'], raw['only']),
    stale: oneOf(['stale'], raw['stale']),
  };
};
