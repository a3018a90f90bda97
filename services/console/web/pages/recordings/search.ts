import { oneOf, type RawSearch, text } from '../../app/page.ts';

/** The choices of the shortest length, in seconds. */
export const LENGTHS = ['10', '60', '300', '1800'] as const;
export const ERRORS = ['true', 'false'] as const;

/** Parses the filters. */
export const search = (raw: RawSearch) => ({
  person: text(raw['person']),
  event: text(raw['event']),
  page: text(raw['page']),
  length: oneOf(LENGTHS, String(raw['length'])),
  errors: oneOf(ERRORS, String(raw['errors'])),
});
