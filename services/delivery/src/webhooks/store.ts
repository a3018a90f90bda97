import type { WebhookDefinition } from '@switchboard/contracts';
import { type Db, type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { cohortStates, messages, unpublishedWatches, type WebhookRow, webhooks } from '../schema/index.ts';

export type { WebhookRow };
export type ListedWebhook = WebhookRow & { waiting: number };

interface NewSecret {
  secret: string;
  previousUntil: Date;
}

/** The encrypted columns of a row, for their re-encryption. */
export type SecretsOfWebhook = Pick<
  WebhookRow,
  'projectId' | 'id' | 'secret' | 'previousSecret' | 'encryptedUrl'
>;

/** The result of creating or replacing a webhook. */
type PutOutcome = 'created' | 'replaced' | 'full' | 'manyCohorts';

const PAGE_SIZE = 500;

export interface WebhooksStore {
  /** Returns the webhooks of a project, sorted by id. */
  list(projectId: string): Promise<ListedWebhook[]>;
  get(projectId: string, id: string): Promise<ListedWebhook | undefined>;
  /** Returns the enabled webhooks of these projects. */
  enabledOf(projectIds: readonly string[]): Promise<WebhookRow[]>;
  /**
   * Creates or replaces a webhook. Returns whether it is new, `full` if the project has `max` others, or `manyCohorts` if
   * its webhooks watch more than `maxCohorts`. The secret is stored only with a new one.
   */
  put(
    key: { projectId: string; id: string },
    definition: WebhookDefinition,
    given: { secret: string; encryptedUrl: string; now: Date; max: number; maxCohorts: number },
    within: Transactor,
  ): Promise<PutOutcome>;
  remove(projectId: string, id: string, within: Transactor): Promise<void>;
  /** Publishes the watched cohorts of a project, and removes the states of the others. */
  publishWatched(projectId: string): Promise<void>;
  /** Replaces the secret and keeps the one before it. Returns false if there is no such webhook. */
  rotate(projectId: string, id: string, given: NewSecret, within: Transactor): Promise<boolean>;
  /** Returns webhooks of all projects, sorted by key. */
  page(after: { projectId: string; id: string } | undefined): Promise<SecretsOfWebhook[]>;
  /** Replaces a ciphertext unless it has changed. */
  replaceEncrypted(
    key: { projectId: string; id: string },
    column: 'secret' | 'previousSecret' | 'encryptedUrl',
    encrypted: string,
    replacement: string,
  ): Promise<void>;
  /** Returns the webhooks with a URL that an earlier version stored. */
  withoutEncryptedUrl(): Promise<{ projectId: string; id: string; url: string }[]>;
  /** Replaces the URL with its ciphertext unless it has changed. */
  encryptUrl(row: { projectId: string; id: string; url: string }, encryptedUrl: string): Promise<void>;
}

const NEXT_REVISION = sql`nextval(pg_get_serial_sequence('unpublished_watches', 'revision'))`;

/** Returns a query of the ids of the cohorts that the webhooks of a project watch. */
const watchedBy = (projectId: string) => sql`
  select distinct unnest(${webhooks.cohorts}) as id from ${webhooks} where ${webhooks.projectId} = ${projectId}`;

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

    put: (
      { projectId, id },
      { url: _, events, ...definition },
      { secret, encryptedUrl, now, max, maxCohorts },
      within,
    ) =>
      tryTransaction<PutOutcome>(within, async (tx, undo) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${projectId}, 7))`);
        const set = {
          ...definition,
          url: null,
          encryptedUrl,
          events: JSON.stringify(events),
          updatedAt: now,
        };
        // The endpoint may be another one, or mended: its failures are forgotten.
        const mended = { disabledReason: null, failingSince: null, pausedUntil: null };
        const replaced = await tx
          .update(webhooks)
          .set({ ...set, ...mended })
          .where(is(projectId, id))
          .returning({ id: webhooks.id });
        const isNew = replaced.length === 0;
        if (isNew) {
          if ((await tx.$count(webhooks, eq(webhooks.projectId, projectId))) >= max) return undo('full');
          await tx.insert(webhooks).values({ ...set, projectId, id, secret, createdAt: now });
        }
        if ((await countWatched(tx, projectId)) > maxCohorts) return undo('manyCohorts');
        await publishWatched(tx, projectId);
        return isNew ? 'created' : 'replaced';
      }),

    async remove(projectId, id, within) {
      await within.transaction(async (tx) => {
        await tx.delete(webhooks).where(is(projectId, id));
        await publishWatched(tx, projectId);
      });
    },

    publishWatched: (projectId) => publishWatched(db, projectId),

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
      const { projectId, id, secret, previousSecret, encryptedUrl } = webhooks;
      return db
        .select({ projectId, id, secret, previousSecret, encryptedUrl })
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

    async withoutEncryptedUrl() {
      const { projectId, id, url } = webhooks;
      const rows = await db
        .select({ projectId, id, url })
        .from(webhooks)
        .where(isNull(webhooks.encryptedUrl));
      return rows.flatMap((row) => (row.url === null ? [] : [{ ...row, url: row.url }]));
    },

    async encryptUrl({ projectId, id, url }, encryptedUrl) {
      await db
        .update(webhooks)
        .set({ url: null, encryptedUrl })
        .where(and(is(projectId, id), eq(webhooks.url, url)));
    },
  };
}

/** Returns the number of cohorts that the webhooks of a project watch. */
async function countWatched(tx: Tx, projectId: string): Promise<number> {
  return (await tx.execute(watchedBy(projectId))).length;
}

async function publishWatched(tx: Db | Tx, projectId: string): Promise<void> {
  await tx.execute(sql`
    delete from ${cohortStates} where ${cohortStates.projectId} = ${projectId}
      and ${cohortStates.cohortId} not in (${watchedBy(projectId)})`);
  await tx.execute(sql`
    insert into ${unpublishedWatches} (project_id) values (${projectId})
    on conflict (project_id) do update set revision = ${NEXT_REVISION}`);
}
