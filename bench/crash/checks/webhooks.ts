import { certainty, numbersOf, type Request } from '../ledger.ts';
import { eventId, isAnnounced, person } from '../traffic.ts';
import type { Delivered } from '../webhook.ts';

export interface WebhooksVerdict {
  /** The number of accepted events that a message was sent about. */
  sent: number;
  /** The number of messages beyond the first about an event. */
  repeats: number;
  faults: string[];
}

/**
 * Compares responses with the messages of webhooks: at least one about each accepted event that the webhook asks for,
 * and none about others.
 */
export function checkWebhooks(
  requests: readonly Request[],
  delivered: readonly Delivered[],
  discarded: number,
): WebhooksVerdict {
  const faults = discarded > 0 ? [`${discarded} messages of webhooks were discarded`] : [];
  const found = Map.groupBy(delivered, ({ project, eventId: id }) => `${project} ${id}`);
  let [sent, repeats] = [0, 0];
  for (const request of requests) {
    if (request.kind !== 'events') continue;
    const sure = certainty(request);
    for (const number of numbersOf(request).filter(isAnnounced)) {
      const numbered = { ...request, number };
      const name = `${request.project} ${eventId(numbered)}`;
      const messages = found.get(name) ?? [];
      found.delete(name);
      repeats += Math.max(0, messages.length - 1);
      if (messages.length === 0 && sure === 'yes') faults.push(`${name}: accepted, and sent to no webhook`);
      if (messages.length > 0 && sure === 'no') faults.push(`${name}: rejected, and sent to a webhook`);
      if (messages.some(({ distinctId }) => distinctId !== person(numbered)))
        faults.push(`${name}: a webhook names another person`);
      if (messages.length > 0 && sure === 'yes') sent++;
    }
  }
  for (const name of found.keys()) faults.push(`${name}: sent to a webhook that did not ask for it`);
  return { sent, repeats, faults };
}
