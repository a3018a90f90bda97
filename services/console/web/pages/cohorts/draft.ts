import type { Input, Result } from '@switchboard/management';
import { type ClauseDraft, clauseDrafts, clausesOf } from '../../clauses/draft.ts';

export type Cohort = Result<'getCohort'>;
type Definition = NonNullable<Input<'putCohort'>['body']>;
type Did = NonNullable<Definition['did']>[number];

export const COUNTS = ['gte', 'lte', 'eq'] as const;

/** A condition on what people did, while it is edited. */
export interface DidDraft {
  event: string;
  where: ClauseDraft[];
  op: (typeof COUNTS)[number];
  times: number;
  days: number;
}

/** A cohort while it is edited. */
export interface CohortDraft {
  name: string;
  match: ClauseDraft[];
  did: DidDraft[];
  combine: 'all' | 'any';
  /** One distinct id a line. */
  ids: string;
}

export const emptyDid = (): DidDraft => ({ event: '', where: [], op: 'gte', times: 1, days: 30 });

export const emptyCohort = (): CohortDraft => ({ name: '', match: [], did: [], combine: 'all', ids: '' });

/** Returns the form in which a cohort is edited. */
export function cohortDraft({ name, match, did, combine, distinctIds }: Cohort): CohortDraft {
  return {
    name,
    match: clauseDrafts(match),
    did: (did ?? []).map(didDraft),
    combine: combine ?? 'all',
    ids: (distinctIds ?? []).join('\n'),
  };
}

function didDraft({ event, where, count, within }: Did): DidDraft {
  const op = COUNTS.find((one) => count[one] !== undefined) ?? 'gte';
  return { event, where: clauseDrafts(where), op, times: count[op] ?? 1, days: within.days };
}

/** Returns the distinct ids of a text with one a line. */
export const idsOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

/** Returns the cohort as the API takes it. Incomplete conditions are left out. */
export function definitionOf({ name, match, did, combine, ids }: CohortDraft): Definition {
  const clauses = clausesOf(match);
  const listed = idsOf(ids);
  const conditions = did
    .filter(({ event }) => event !== '')
    .map(({ event, where, op, times, days }): Did => {
      const ofEvent = clausesOf(where);
      return {
        event,
        ...(ofEvent.length > 0 && { where: ofEvent }),
        count: { [op]: times },
        within: { days },
      };
    });
  return {
    name,
    ...(clauses.length > 0 && { match: clauses }),
    ...(listed.length > 0 && { distinctIds: listed }),
    ...(conditions.length > 0 && { did: conditions }),
    ...(conditions.length > 0 && { combine }),
  };
}
