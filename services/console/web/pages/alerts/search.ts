import { oneOf, type RawSearch, text } from '../../app/page.ts';

/** Parses the open alert, the dialog that is open, and the report that a new alert is about. */
export const search = (raw: RawSearch) => ({
  open: text(raw['open']),
  edit: oneOf(['new', 'open'] as const, raw['edit']),
  report: text(raw['report']),
});
