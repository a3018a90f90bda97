import { type RawSearch, text } from '../../app/page.ts';

/** Parses the filters and the open event. */
export const search = (raw: RawSearch) => ({
  name: text(raw['name']),
  person: text(raw['person']),
  open: text(raw['open']),
});
