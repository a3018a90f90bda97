import { oneOf, type RawSearch, text } from '../../app/page.ts';

/** Parses the view, the open conversation, the searched words, and whether the person is shown on a narrow screen. */
export const search = (raw: RawSearch) => ({
  view: text(raw['view']),
  open: text(raw['open']),
  find: text(raw['find']),
  pane: oneOf(['person'] as const, raw['pane']),
});
