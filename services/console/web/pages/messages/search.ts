import { type RawSearch, text } from '../../app/page.ts';

/** The value of `open` for a message that is written. */
export const NEW = 'new';

export const search = (raw: RawSearch) => ({ open: text(raw['open']) });
