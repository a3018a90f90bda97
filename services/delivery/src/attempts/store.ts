import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, gt, inArray, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import { attempts, messages, type WebhookRow, webhooks } from '../schema/index.ts';
import type { Attempt, Outcome } from './outcome.ts';

/** A message that this process is about to send. */
export interface Claimed {
  seq: bigint;
  id: string;
  body: string;
  /** The number of this attempt. */
  attempts: number;
  webhook: WebhookRow;
}

interface Claim {
  now: Date;
  /** When another process may take the message. */
  until: Date;
  limit: number;
  /** Webhooks and projects with as many messages in flight as they may have. */
  busyWebhooks: readonly { projectId: string; id: string }[];
  busyProjects: readonly string[];
}

/** The oldest messages of an ordered webhook, which are searched for the first one of each subject. */
const ORDERED_WITHIN = 500;

/** The reason for which a webhook was disabled by an attempt. */
export type Disabled = 'gone' | 'failing';

export interface AttemptsStore {
  /** Takes up to one due message of each webhook. Projects with few due messages are not behind those with many. */
  claim(claim: Claim): Promise<Claimed[]>;
  /** Stores an attempt and its effects. Returns why it disabled the webhook, if it did. */
  finish(
    claimed: Claimed,
    attempt: Attempt,
    outcome: Outcome,
    failingBefore: Date,
    onDisabled: (tx: Tx, reason: Disabled) => Promise<void>,
  ): Promise<void>;
  /** Lets messages be sent by another process at once. */
  release(claimed: readonly Claimed[], now: Date): Promise<void>;
  /** Returns the number of waiting messages and the age of the oldest that is due, in seconds. */
  backlog(now: Date): Promise<{ waiting: number; overdueSeconds: number }>;
}

export function createAttemptsStore(db: Db): AttemptsStore {
  const timeOf = (date: Date) => sql`${date.toISOString()}::timestamptz`;
  const texts = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;

  /** Skips from one webhook with waiting messages to the next in the index. */
  const queues = sql`
    queues as (
      (select project_id, webhook_id from ${messages} where state = 'waiting'
        order by project_id, webhook_id limit 1)
      union all
      select next.project_id, next.webhook_id from queues cross join lateral (
        select project_id, webhook_id from ${messages}
        where state = 'waiting' and (project_id, webhook_id) > (queues.project_id, queues.webhook_id)
        order by project_id, webhook_id limit 1) next)`;

  const due = ({ now, busyWebhooks, busyProjects }: Claim): SQL => sql`
    due as (
      select one.seq, row_number() over (partition by queues.project_id order by random()) as turn
      from queues
      join ${webhooks} on webhooks.project_id = queues.project_id and webhooks.id = queues.webhook_id
      cross join lateral (
        select seq from ${messages}
        where messages.project_id = queues.project_id and messages.webhook_id = queues.webhook_id
          and messages.state = 'waiting' and messages.next_at <= ${timeOf(now)}
          and (not webhooks.ordered or seq in (
            select min(seq) from (
              select seq, subject from ${messages} oldest
              where oldest.project_id = queues.project_id and oldest.webhook_id = queues.webhook_id
                and oldest.state = 'waiting'
              order by seq limit ${ORDERED_WITHIN}) oldest
            group by subject))
        order by messages.next_at, messages.seq limit 1
        for update of messages skip locked) one
      where webhooks.enabled
        and (webhooks.paused_until is null or webhooks.paused_until <= ${timeOf(now)})
        and queues.project_id <> all(${texts(busyProjects)})
        and not exists (
          select 1 from unnest(
            ${texts(busyWebhooks.map(({ projectId }) => projectId))}, ${texts(busyWebhooks.map(({ id }) => id))}
          ) as busy (project_id, id)
          where busy.project_id = queues.project_id and busy.id = queues.webhook_id))`;

  return {
    async claim(claim) {
      const taken = await db.execute<{ seq: string }>(sql`
        with recursive ${queues}, ${due(claim)}
        update ${messages} set next_at = ${timeOf(claim.until)}, attempts = attempts + 1
        where seq in (select seq from due order by turn limit ${claim.limit})
        returning seq`);
      if (taken.length === 0) return [];
      const seqs = [...taken].map(({ seq }) => BigInt(seq));
      const { seq, id, body, attempts: number } = messages;
      return db
        .select({ seq, id, body, attempts: number, webhook: webhooks })
        .from(messages)
        .innerJoin(
          webhooks,
          and(eq(webhooks.projectId, messages.projectId), eq(webhooks.id, messages.webhookId)),
        )
        .where(inArray(messages.seq, seqs))
        .orderBy(asc(messages.seq));
    },

    finish: ({ seq, attempts: number, webhook }, attempt, outcome, failingBefore, onDisabled) =>
      db.transaction(async (tx) => {
        const { retryAfter: _, ...logged } = attempt;
        const { state, nextAt, isGone, pausedUntil } = outcome;
        const isOurs = and(
          eq(messages.seq, seq),
          eq(messages.attempts, number),
          eq(messages.state, 'waiting'),
        );
        const isWebhook = and(eq(webhooks.projectId, webhook.projectId), eq(webhooks.id, webhook.id));
        // Locked before its message, in the order in which a deletion locks both: the reverse order deadlocks.
        await tx.select({ id: webhooks.id }).from(webhooks).where(isWebhook).for('key share');
        const here = await tx
          .select({ seq: messages.seq })
          .from(messages)
          .where(eq(messages.seq, seq))
          .for('update');
        if (here.length === 0) return;
        await tx.insert(attempts).values({ ...logged, messageSeq: seq });
        await tx.update(messages).set({ state, nextAt }).where(isOurs);
        if (state === 'delivered') {
          const isFailing = or(isNotNull(webhooks.failingSince), isNotNull(webhooks.pausedUntil));
          await tx
            .update(webhooks)
            .set({ failingSince: null, pausedUntil: null })
            .where(and(isWebhook, isFailing));
          return;
        }
        const [updated] = await tx
          .update(webhooks)
          .set({
            failingSince: sql`coalesce(${webhooks.failingSince}, ${timeOf(attempt.at)})`,
            ...(pausedUntil === null ? {} : { pausedUntil }),
          })
          .where(isWebhook)
          .returning({ failingSince: webhooks.failingSince, updatedAt: webhooks.updatedAt });
        const { failingSince, updatedAt } = updated ?? {};
        // A webhook that was changed during the attempt may have another endpoint.
        if (updatedAt?.getTime() !== webhook.updatedAt.getTime()) return;
        const isFailing = failingSince != null && failingSince < failingBefore;
        if (!isGone && !isFailing) return;
        const reason = isGone ? 'gone' : 'failing';
        const disabled = await tx
          .update(webhooks)
          .set({ enabled: false, disabledReason: reason })
          .where(and(isWebhook, webhooks.enabled))
          .returning({ id: webhooks.id });
        if (disabled.length > 0) await onDisabled(tx, reason);
      }),

    async release(claimed, now) {
      if (claimed.length === 0) return;
      const isSame = claimed.map(({ seq, attempts: number }) =>
        and(eq(messages.seq, seq), eq(messages.attempts, number)),
      );
      await db
        .update(messages)
        .set({ nextAt: now, attempts: sql`${messages.attempts} - 1` })
        .where(and(eq(messages.state, 'waiting'), or(...isSame), gt(messages.attempts, 0)));
    },

    async backlog(now) {
      const [row] = await db.execute<{ waiting: string; overdue: string | null }>(sql`
        with recursive ${queues}
        select count(*) as waiting,
          extract(epoch from ${timeOf(now)} - min(next_at) filter (
            where webhooks.enabled and (webhooks.paused_until is null or webhooks.paused_until <= ${timeOf(now)})
          )) as overdue
        from queues join ${messages} using (project_id, webhook_id)
        join ${webhooks} on webhooks.project_id = queues.project_id and webhooks.id = queues.webhook_id
        where messages.state = 'waiting'`);
      return { waiting: Number(row?.waiting ?? 0), overdueSeconds: Math.max(0, Number(row?.overdue ?? 0)) };
    },
  };
}
