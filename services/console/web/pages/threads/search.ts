import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const SHOWN = ['unread', 'mentions', 'open', 'resolved'] as const;

/** Parses the filter and the open thread. */
export const search = (raw: RawSearch) => ({
  show: oneOf(SHOWN, raw['show']),
  open: text(raw['open']),
});
