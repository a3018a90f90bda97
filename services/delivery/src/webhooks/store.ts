import type { WebhookDefinition } from '@switchboard/contracts';
import { type Db, type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { messages, type WebhookRow, webhooks } from '../schema/index.ts';

export type { WebhookRow };
export type ListedWebhook = WebhookRow & { waiting: number };

interface NewSecret {
  secret: string;
  previousUntil: Date;
}

/** A row with one or two encrypted secrets, for their re-encryption. */
export type SecretsOfWebhook = Pick<WebhookRow, 'projectId' | 'id' | 'secret' | 'previousSecret'>;

const PAGE_SIZE = 500;

export interface WebhooksStore {
  /** Returns the webhooks of a project, sorted by id. */
  list(projectId: string): Promise<ListedWebhook[]>;
  get(projectId: string, id: string): Promise<ListedWebhook | undefined>;
  /** Returns the enabled webhooks of these projects. */
  enabledOf(projectIds: readonly string[]): Promise<WebhookRow[]>;
  /**
   * Creates or replaces a webhook. Returns whether it is new, or `full` if the project has `max` others. The secret is
   * stored only with a new one.
   */
  put(
    key: { projectId: string; id: string },
    definition: WebhookDefinition,
    given: { secret: string; now: Date; max: number },
    within: Transactor,
  ): Promise<'created' | 'replaced' | 'full'>;
  remove(projectId: string, id: string, within: Transactor): Promise<void>;
  /** Replaces the secret and keeps the one before it. Returns false if there is no such webhook. */
  rotate(projectId: string, id: string, given: NewSecret, within: Transactor): Promise<boolean>;
  /** Returns webhooks of all projects, sorted by key. */
  page(after: { projectId: string; id: string } | undefined): Promise<SecretsOfWebhook[]>;
  /** Replaces a ciphertext unless it has changed. */
  replaceEncrypted(
    key: { projectId: string; id: string },
    column: 'secret' | 'previousSecret',
    encrypted: string,
    replacement: string,
  ): Promise<void>;
}

export function createWebhooksStore(db: Db | Tx): WebhooksStore {
  const is = (projectId: string, id: string) => and(eq(webhooks.projectId, projectId), eq(webhooks.id, id));
  const waiting = sql<number>`(
    select count(*)::int from ${messages}
    where messages.project_id = webhooks.project_id and messages.webhook_id = webhooks.id and messages.state = 'waiting')`;
  const listed = () => db.select({ webhook: webhooks, waiting }).from(webhooks).$dynamic();

  return {
    async list(projectId) {
      const rows = await listed().where(eq(webhooks.projectId, projectId)).orderBy(asc(webhooks.id));
      return rows.map((row) => ({ ...row.webhook, waiting: row.waiting }));
    },

    async get(projectId, id) {
      const [row] = await listed().where(is(projectId, id));
      return row && { ...row.webhook, waiting: row.waiting };
    },

    async enabledOf(projectIds) {
      if (projectIds.length === 0) return [];
      return db
        .select()
        .from(webhooks)
        .where(and(inArray(webhooks.projectId, [...projectIds]), webhooks.enabled));
    },

    put: ({ projectId, id }, { events, ...definition }, { secret, now, max }, within) =>
      tryTransaction<'created' | 'replaced' | 'full'>(within, async (tx, undo) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${projectId}, 7))`);
        const set = { ...definition, events: JSON.stringify(events), updatedAt: now };
        // The endpoint may be another one, or mended: its failures are forgotten.
        const mended = { disabledReason: null, failingSince: null, pausedUntil: null };
        const replaced = await tx
          .update(webhooks)
          .set({ ...set, ...mended })
          .where(is(projectId, id))
          .returning({ id: webhooks.id });
        if (replaced.length > 0) return 'replaced';
        if ((await tx.$count(webhooks, eq(webhooks.projectId, projectId))) >= max) return undo('full');
        await tx.insert(webhooks).values({ ...set, projectId, id, secret, createdAt: now });
        return 'created';
      }),

    async remove(projectId, id, within) {
      await within.transaction((tx) => tx.delete(webhooks).where(is(projectId, id)));
    },

    rotate: (projectId, id, { secret, previousUntil }, within) =>
      tryTransaction(within, async (tx, undo) => {
        const rows = await tx
          .update(webhooks)
          .set({ secret, previousSecret: sql`${webhooks.secret}`, previousUntil })
          .where(is(projectId, id))
          .returning({ id: webhooks.id });
        return rows.length > 0 || undo(false);
      }),

    async page(after) {
      const { projectId, id, secret, previousSecret } = webhooks;
      return db
        .select({ projectId, id, secret, previousSecret })
        .from(webhooks)
        .where(
          after === undefined ? undefined : sql`(${projectId}, ${id}) > (${after.projectId}, ${after.id})`,
        )
        .orderBy(asc(projectId), asc(id))
        .limit(PAGE_SIZE);
    },

    async replaceEncrypted({ projectId, id }, column, encrypted, replacement) {
      await db
        .update(webhooks)
        .set({ [column]: replacement })
        .where(and(is(projectId, id), eq(webhooks[column], encrypted)));
    },
  };
}
