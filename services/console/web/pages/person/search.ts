import { oneOf, type RawSearch } from '../../app/page.ts';

export const KINDS = ['event', 'session', 'recording', 'conversation', 'message', 'join'] as const;

/** Parses the kind of entries in the time line. */
export const search = (raw: RawSearch) => ({ kind: oneOf(KINDS, raw['kind']) });
