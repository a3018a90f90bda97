import {
  type WebhookMessage,
  type WebhookMessageLog,
  type WebhookMessageState,
  type WebhookReplay,
  webhookMessageState,
} from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import {
  type AuditedChange,
  Conflict,
  decodeCursor,
  encodeCursor,
  NotFound,
  type PageRequest,
  toPage,
} from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { z } from 'zod';
import type { BodyFor } from '../chat/bodies.ts';
import type { WebhooksStore } from '../webhooks/store.ts';
import { bodyOf } from './body.ts';
import type { ListedMessage, MessagesStore, ReplaySelection, WebhookKey } from './store.ts';

interface MessagesOptions {
  store: MessagesStore;
  webhooks: Pick<WebhooksStore, 'get'>;
  clock: Clock;
  bodyFor: BodyFor;
  /** Called when messages were queued. */
  onQueued(): void;
}

export type Messages = ReturnType<typeof createMessages>;

const position = z.string().regex(/^\d{1,18}$/);

/** Reads the messages of a webhook, and queues tests and replays. */
export function createMessages({ store, webhooks, clock, bodyFor, onQueued }: MessagesOptions) {
  async function requireWebhook({ projectId, webhookId }: WebhookKey) {
    const webhook = await webhooks.get(projectId, webhookId);
    if (webhook === undefined) throw new NotFound('Webhook not found.');
    return webhook;
  }

  async function requireEnabled(key: WebhookKey): Promise<void> {
    const { enabled } = await requireWebhook(key);
    if (!enabled) throw new Conflict('The webhook is disabled. Enable it first.');
  }

  return {
    async list(key: WebhookKey, state: WebhookMessageState | undefined, { cursor, limit }: PageRequest) {
      await requireWebhook(key);
      const before = cursor === undefined ? undefined : BigInt(decodeCursor(cursor, position));
      const found = await store.list(key, state, before, limit + 1);
      const { rows, nextCursor } = toPage(found, limit, ({ seq }) => encodeCursor(String(seq)));
      return { messages: rows.map(present), nextCursor };
    },

    async get(key: WebhookKey, id: string): Promise<WebhookMessageLog> {
      const webhook = await requireWebhook(key);
      const row = await store.get(key, id);
      if (row === undefined) throw new NotFound('Message not found.');
      const log = await store.attemptsOf(row.seq);
      return {
        ...present({ ...row, lastStatus: log.at(-1)?.status ?? null }),
        body: await bodyFor(webhook, row.body),
        log: log.map(({ at, status, error, response, durationMs }) => ({
          ...{ at: at.toISOString(), status, error, response, durationMs },
        })),
      };
    },

    /** Queues a message of type webhook.test. */
    async test(change: AuditedChange, key: WebhookKey): Promise<string> {
      await requireEnabled(key);
      const id = newId('msg');
      const now = clock.now();
      const type = 'webhook.test';
      const data = { projectId: key.projectId, webhookId: key.webhookId };
      const body = bodyOf({ type, at: now.toISOString(), subject: id, sourceId: id, ids: data, data });
      await store.add(key, [{ id, type, subject: id, body }], now, change);
      onQueued();
      return id;
    },

    /** Queues messages again. Returns how many. */
    async replay(change: AuditedChange, key: WebhookKey, selection: WebhookReplay): Promise<number> {
      await requireEnabled(key);
      const queued = await store.replay(key, selectionOf(selection), clock.now(), change);
      onQueued();
      return queued;
    },
  };
}

const selectionOf = ({ messageId, from, to, state }: WebhookReplay): ReplaySelection =>
  messageId === undefined
    ? { from: new Date(from ?? 0), to: new Date(to ?? 0), failedAlone: state !== 'all' }
    : { messageId };

function present(row: ListedMessage): WebhookMessage {
  const state = webhookMessageState.parse(row.state);
  return {
    id: row.id,
    type: row.type,
    state,
    attempts: row.attempts,
    createdAt: row.createdAt.toISOString(),
    nextAttemptAt: state === 'waiting' ? row.nextAt.toISOString() : null,
    lastStatus: row.lastStatus,
  };
}
