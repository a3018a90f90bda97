import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const STATES = ['waiting', 'delivered', 'failed'] as const;

/** Parses the open webhook, its open message, the filter of messages, and the dialog that is open. */
export const search = (raw: RawSearch) => ({
  open: text(raw['open']),
  message: text(raw['message']),
  state: oneOf(STATES, raw['state']),
  edit: oneOf(['new', 'open'] as const, raw['edit']),
});
