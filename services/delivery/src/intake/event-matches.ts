import {
  type EventRow,
  type InsightClause,
  type WebhookEvent,
  webhookDefinition,
} from '@switchboard/contracts';
import { matchesClauses } from '@switchboard/flag-engine';
import type { WebhookRow } from '../webhooks/store.ts';

/** Returns whether an event matches one of the chosen events of a webhook. */
export type EventMatch = (event: EventRow) => boolean;

/** Returns the names of the events that a webhook asks for, and which of them it gets. */
export function matchOf({ events }: Pick<WebhookRow, 'events'>): { names: Set<string>; matches: EventMatch } {
  const chosen = webhookDefinition.shape.events.parse(JSON.parse(events));
  return {
    names: new Set(chosen.map(({ event }) => event)),
    matches: (event) => chosen.some((one) => isChosen(one, event)),
  };
}

function isChosen({ event: name, where = [] }: WebhookEvent, event: EventRow): boolean {
  if (name !== event.event_name) return false;
  const traits = Object.fromEntries(
    where.map(({ attribute }) => [attribute, readAttribute(attribute, event)]),
  );
  return matchesClauses(clausesOf(where), {
    distinctId: event.distinct_id,
    traits,
    cohorts: new Set(),
  });
}

/** Without a value where none was sent, as the evaluator expects. */
const clausesOf = (where: readonly InsightClause[]) =>
  where.map(({ attribute, op, value }) => ({ attribute, op, ...(value === undefined ? {} : { value }) }));

const NAMED = /^(property|context)\.(.+)$/s;

/** Returns the value of an attribute, by the names that questions about events use. */
function readAttribute(attribute: string, { session_id, properties = {}, context = {} }: EventRow): unknown {
  if (attribute === 'session_id') return session_id;
  const [, part, name] = NAMED.exec(attribute) ?? [];
  const from: Readonly<Record<string, unknown>> = part === 'context' ? context : properties;
  const key = name ?? attribute;
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
