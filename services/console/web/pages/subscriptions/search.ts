import { oneOf, type RawSearch, text } from '../../app/page.ts';

/** Parses the open subscription, the dialog that is open, and what a new subscription is of. */
export const search = (raw: RawSearch) => ({
  open: text(raw['open']),
  edit: oneOf(['new', 'open'] as const, raw['edit']),
  report: text(raw['report']),
  dashboard: text(raw['dashboard']),
});
