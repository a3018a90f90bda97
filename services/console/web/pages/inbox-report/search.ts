import { type RawSearch, text } from '../../app/page.ts';

/** Parses the days of the report. */
export const search = (raw: RawSearch) => ({ from: text(raw['from']), to: text(raw['to']) });
