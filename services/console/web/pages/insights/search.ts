import { type RawSearch, text } from '../../app/page.ts';
import { type Draft, emptyDraft, emptyExcluded, emptyRange, emptySeries } from './draft.ts';

/** Parses the query that is edited, and the saved reports that are looked for. */
export const search = (raw: RawSearch): { q: Draft | undefined; find: string | undefined } => ({
  q: isDraft(raw['q']) ? completed(raw['q']) : undefined,
  find: text(raw['find']),
});

function isDraft(value: unknown): value is Partial<Draft> & Pick<Draft, 'kind' | 'series'> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    'series' in value &&
    Array.isArray(value.series)
  );
}

/** Adds what an address leaves out, such as one that was written by hand. */
function completed(draft: Partial<Draft> & Pick<Draft, 'kind' | 'series'>): Draft {
  const complete = (one: Partial<Draft['series'][number]>) => ({ ...emptySeries(), ...one });
  return {
    ...emptyDraft(),
    ...draft,
    range: { ...emptyRange(), ...draft.range },
    breakdown: Array.isArray(draft.breakdown) ? draft.breakdown : [],
    series: draft.series.map(complete),
    exclude: (draft.exclude ?? []).map((one) => ({ ...emptyExcluded(), ...one })),
  };
}
