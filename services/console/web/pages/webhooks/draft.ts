import { type ClauseDraft, clauseDrafts, clausesOf } from '../../clauses/draft.ts';
import type { Definition, Format, Webhook, WebhookType } from './words.tsx';

export interface EventDraft {
  event: string;
  where: ClauseDraft[];
}

/** A webhook while it is edited. */
export interface WebhookDraft {
  id: string;
  url: string;
  description: string;
  format: Format;
  types: ReadonlySet<WebhookType>;
  events: EventDraft[];
  cohorts: ReadonlySet<string>;
  enabled: boolean;
  ordered: boolean;
}

export const emptyEvent = (): EventDraft => ({ event: '', where: [] });

/** Returns the form in which a webhook is edited. */
export const draftOf = (webhook: Webhook | undefined): WebhookDraft => ({
  id: webhook?.id ?? '',
  url: webhook?.url ?? '',
  description: webhook?.description ?? '',
  format: webhook?.format ?? 'standard',
  types: new Set(webhook?.types ?? ['event']),
  events: webhook?.events.map(({ event, where }) => ({ event, where: clauseDrafts(where) })) ?? [
    emptyEvent(),
  ],
  cohorts: new Set(webhook?.cohorts),
  enabled: webhook?.enabled ?? true,
  ordered: webhook?.ordered ?? false,
});

/** Whether a webhook is about cohorts. */
export const isAboutCohorts = ({ types }: Pick<WebhookDraft, 'types'>): boolean =>
  types.has('cohort.entered') || types.has('cohort.left');

/** Returns the webhook as the API takes it. Incomplete conditions are left out. */
export function definitionOf({
  types,
  events,
  cohorts,
  url,
  description,
  format,
  enabled,
  ordered,
}: WebhookDraft): Definition {
  const chosen = types.has('event') ? events.filter(({ event }) => event !== '') : [];
  return {
    ...{ url, description, format, enabled, ordered },
    types: [...types],
    cohorts: isAboutCohorts({ types }) ? [...cohorts] : [],
    events: chosen.map(({ event, where }) => {
      const clauses = clausesOf(where);
      return { event, ...(clauses.length === 0 ? {} : { where: clauses }) };
    }),
  };
}
