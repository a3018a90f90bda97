import { type RawSearch, text } from '../../app/page.ts';

/** Parses the search and the open cohort. */
export const search = (raw: RawSearch) => ({ find: text(raw['find']), open: text(raw['open']) });
