import { type RawSearch, text } from '../../app/page.ts';

/** Parses the filter and the open event name. */
export const search = (raw: RawSearch) => ({
  find: text(raw['find']),
  open: text(raw['open']),
});
