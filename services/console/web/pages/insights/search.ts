import { type RawSearch, text } from '../../app/page.ts';
import { type Draft, emptyDraft } from './draft.ts';

/** Parses the query that is edited, and the saved reports that are looked for. */
export const search = (raw: RawSearch): { q: Draft | undefined; find: string | undefined } => ({
  q: isDraft(raw['q']) ? { ...emptyDraft(), ...raw['q'] } : undefined,
  find: text(raw['find']),
});

function isDraft(value: unknown): value is Partial<Draft> {
  return typeof value === 'object' && value !== null && 'kind' in value && 'series' in value;
}
