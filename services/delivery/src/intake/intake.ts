import type { WebhookType } from '@switchboard/contracts';
import type { Clock } from '@switchboard/runtime';
import { bodyOf, messageId, type Occurrence } from '../messages/body.ts';
import type { MessagesStore } from '../messages/store.ts';
import type { WebhookRow, WebhooksStore } from '../webhooks/store.ts';

interface IntakeOptions {
  webhooks: Pick<WebhooksStore, 'enabledOf'>;
  messages: Pick<MessagesStore, 'add'>;
  clock: Clock;
  onQueued(): void;
  /** Called with the number of messages that were not queued because too many wait. */
  onDiscarded(count: number): void;
}

/** An occurrence in a project, and when it was accepted. */
export interface Happening {
  projectId: string;
  acceptedAt: string;
  occurrence: Occurrence;
  type: WebhookType;
  /** Only for webhooks that watch this cohort. */
  cohortId?: string;
}

export type Intake = ReturnType<typeof createIntake>;

/** The messages for one webhook, in order. */
type Queued = Map<WebhookRow, Occurrence[]>;

/** Queues messages for what happens, for the webhooks of its project that ask for it. */
export function createIntake({ webhooks, messages, clock, onQueued, onDiscarded }: IntakeOptions) {
  /** Returns the webhooks that ask for a type, by project. */
  async function askingFor(types: readonly WebhookType[], projectIds: Iterable<string>) {
    const rows = await webhooks.enabledOf([...new Set(projectIds)]);
    const asking = rows.filter((row) => types.some((type) => row.types.includes(type)));
    return Map.groupBy(asking, ({ projectId }) => projectId);
  }

  async function queue(queued: Queued): Promise<void> {
    for (const [{ projectId, id }, occurrences] of queued) {
      const rows = occurrences.map((one) => ({
        id: messageId(projectId, id, one),
        type: one.type,
        subject: one.subject,
        body: bodyOf(one),
      }));
      const discarded = await messages.add({ projectId, webhookId: id }, rows, clock.now());
      if (discarded > 0) onDiscarded(discarded);
    }
    if (queued.size > 0) onQueued();
  }

  return {
    askingFor,
    queue,

    /** Queues messages for every webhook that asks for the type of a happening. */
    async accept(happenings: readonly Happening[]): Promise<void> {
      const types = [...new Set(happenings.map(({ type }) => type))];
      const asking = await askingFor(
        types,
        happenings.map(({ projectId }) => projectId),
      );
      const queued: Queued = new Map();
      for (const { projectId, acceptedAt, occurrence, type, cohortId } of happenings) {
        for (const webhook of asking.get(projectId) ?? []) {
          const isAsked = cohortId === undefined || webhook.cohorts.includes(cohortId);
          if (isAsked && webhook.types.includes(type) && isSince(webhook, acceptedAt))
            addTo(queued, webhook, occurrence);
        }
      }
      await queue(queued);
    },
  };
}

/** Returns whether a webhook existed at a time. It gets nothing from before. */
export const isSince = ({ createdAt }: Pick<WebhookRow, 'createdAt'>, at: string): boolean =>
  Date.parse(at) >= createdAt.getTime();

/** Adds a message for a webhook. */
export function addTo(queued: Queued, webhook: WebhookRow, occurrence: Occurrence): void {
  const of = queued.get(webhook);
  if (of === undefined) queued.set(webhook, [occurrence]);
  else of.push(occurrence);
}
