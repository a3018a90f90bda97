import type { AlertDefinition, AlertRecord } from '@switchboard/contracts';
import { type Db, newId, type Tx } from '@switchboard/database';
import { and, asc, count, desc, eq, type InferSelectModel, inArray, isNull, sql } from 'drizzle-orm';
import { alertIncidents, alerts, unpublishedAlerts } from '../schema/index.ts';

export type AlertRow = InferSelectModel<typeof alerts>;
export type IncidentRow = InferSelectModel<typeof alertIncidents>;

interface AlertKey {
  projectId: string;
  id: string;
}

/** The beginning or the end of an incident, with the bucket that decided it. */
export interface Transition {
  type: AlertRecord['type'];
  bucket: string;
  value: number | null;
  expected: number | null;
}

/** The state of an alert after an evaluation. */
export interface Evaluated {
  isFiring: boolean;
  streak: number;
  evaluatedBucket: string | null;
  value: number | null;
  transitions: readonly Transition[];
}

type Ended = NonNullable<AlertRecord['ended']>;

/** The number of incidents kept of each alert. */
export const MAX_INCIDENTS = 100;

const named = ({ projectId, id }: AlertKey) => and(eq(alerts.projectId, projectId), eq(alerts.id, id));
const incidentsOf = ({ projectId, id }: AlertKey) =>
  and(eq(alertIncidents.projectId, projectId), eq(alertIncidents.alertId, id));

/** The state of an alert that was not evaluated yet. */
const RESET = {
  isFiring: false,
  streak: 0,
  evaluatedBucket: null,
  value: null,
  error: null,
  claimedUntil: null,
} as const;

export type AlertStatesStore = ReturnType<typeof createAlertStatesStore>;

/** Stores the alerts of projects with their states. */
export function createAlertStatesStore(db: Db | Tx) {
  return {
    list: (projectId: string): Promise<AlertRow[]> =>
      db.select().from(alerts).where(eq(alerts.projectId, projectId)).orderBy(sql`${alerts.id} collate "C"`),

    async get(key: AlertKey): Promise<AlertRow | undefined> {
      const [row] = await db.select().from(alerts).where(named(key));
      return row;
    },

    /** Newest first. */
    incidents: (key: AlertKey): Promise<IncidentRow[]> =>
      db
        .select()
        .from(alertIncidents)
        .where(incidentsOf(key))
        .orderBy(desc(alertIncidents.id))
        .limit(MAX_INCIDENTS),

    /** Returns the number of alerts. Concurrent transactions that count a project wait for each other. */
    async count(projectId: string): Promise<number> {
      await db.execute(sql`select pg_advisory_xact_lock(hashtext('alerts'), hashtext(${projectId}))`);
      const [row] = await db.select({ rows: count() }).from(alerts).where(eq(alerts.projectId, projectId));
      return row?.rows ?? 0;
    },

    async removeProject(projectId: string): Promise<void> {
      await db.delete(alerts).where(eq(alerts.projectId, projectId));
      await db
        .delete(unpublishedAlerts)
        .where(sql`${unpublishedAlerts.record} ->> 'projectId' = ${projectId}`);
    },

    /**
     * Claims a due alert until `until`, the oldest of its project. Projects take turns in the order of their ids,
     * beginning after `afterProject`. A claim beyond `latest` was made before the clock was set back.
     */
    async claim({ now, until, latest }: Record<'now' | 'until' | 'latest', Date>, afterProject: string) {
      const at = (time: Date) => sql`${time.toISOString()}::timestamptz`;
      const free = sql`(claimed_until is null or claimed_until <= ${at(now)} or claimed_until > ${at(latest)})`;
      const claimed = await db
        .update(alerts)
        .set({ claimedUntil: until })
        .where(
          sql`(${alerts.projectId}, ${alerts.id}) = (
            select project_id, id from ${alerts}
            where next_at <= ${at(now)} and enabled and ${free}
            order by project_id > ${afterProject} desc, project_id, next_at
            limit 1 for update skip locked)`,
        )
        .returning();
      return claimed[0];
    },

    /** Ends a claim. Does nothing if the alert has changed, or if another instance has claimed it since. */
    async fail(claimed: AlertRow, error: string, nextAt: Date): Promise<void> {
      await db.transaction(async (tx) => {
        if ((await lockClaimed(tx, claimed)) === undefined) return;
        await tx.update(alerts).set({ error, nextAt, claimedUntil: null }).where(named(claimed));
      });
    },
  };
}

/** Stores a new alert. */
export async function insertAlert(
  tx: Tx,
  key: AlertKey,
  definition: AlertDefinition,
  now: Date,
): Promise<void> {
  const { enabled } = definition;
  const times = { nextAt: now, createdAt: now, updatedAt: now };
  await tx.insert(alerts).values({ ...key, definition, enabled, ...times });
}

/** Replaces an alert. With `ended`, its evaluation begins again, and its incident ends. */
export async function replaceAlert(
  tx: Tx,
  before: AlertRow,
  definition: AlertDefinition,
  { now, ended }: { now: Date; ended: 'changed' | 'disabled' | undefined },
): Promise<void> {
  const { enabled } = definition;
  if (ended !== undefined) await endIncident(tx, before, { ended, at: now });
  const restart = ended === undefined ? {} : { ...RESET, revision: before.revision + 1, nextAt: now };
  await tx
    .update(alerts)
    .set({ definition, enabled, updatedAt: now, ...restart })
    .where(named(before));
}

/** Returns an alert that no other transaction changes until this one ends. */
export async function lockAlert(tx: Tx, key: AlertKey): Promise<AlertRow | undefined> {
  const [row] = await tx.select().from(alerts).where(named(key)).for('update');
  return row;
}

/** Returns a claimed alert, locked. Undefined if it has changed, or if another instance has claimed it since. */
async function lockClaimed(tx: Tx, claimed: AlertRow): Promise<AlertRow | undefined> {
  const alert = await lockAlert(tx, claimed);
  if (alert?.revision !== claimed.revision) return undefined;
  return alert.claimedUntil?.getTime() === claimed.claimedUntil?.getTime() ? alert : undefined;
}

export async function removeAlert(tx: Tx, alert: AlertRow, now: Date): Promise<void> {
  await endIncident(tx, alert, { ended: 'deleted', at: now });
  await tx.delete(alerts).where(named(alert));
}

/** Sets the end of the snooze, at which the alert is evaluated again. */
export async function snooze(tx: Tx, key: AlertKey, until: Date | null, now: Date): Promise<void> {
  await tx.update(alerts).set({ snoozedUntil: until, updatedAt: now, nextAt: now }).where(named(key));
}

/**
 * Stores the result of an evaluation with the records to publish. Does nothing if the alert has changed, or
 * if another instance has claimed it since.
 */
export async function applyEvaluation(
  tx: Tx,
  claimed: AlertRow,
  { transitions, ...state }: Evaluated,
  { now, nextAt }: { now: Date; nextAt: Date },
): Promise<void> {
  const alert = await lockClaimed(tx, claimed);
  if (alert === undefined) return;
  const isSnoozed = alert.snoozedUntil !== null && alert.snoozedUntil > now;
  for (const { type, ...at } of transitions) {
    if (type === 'alert.fired') await beginIncident(tx, alert, at, now);
    else await endIncident(tx, alert, { ended: 'recovered', at: now, ...at });
    if (!isSnoozed) await sendUnsent(tx, alert, now);
  }
  if (!isSnoozed) await sendUnsent(tx, alert, now);
  const wakeAt = isSnoozed && alert.snoozedUntil !== null ? alert.snoozedUntil : nextAt;
  await tx
    .update(alerts)
    .set({ ...state, error: null, claimedUntil: null, nextAt: wakeAt < nextAt ? wakeAt : nextAt })
    .where(named(alert));
}

type Bucket = Omit<Transition, 'type'>;

async function beginIncident(tx: Tx, alert: AlertRow, { bucket, value, expected }: Bucket, now: Date) {
  const id = newId('inc');
  const start = { startedBucket: bucket, startedAt: now, value, expected, sent: false };
  await tx.insert(alertIncidents).values({ id, projectId: alert.projectId, alertId: alert.id, ...start });
  const old = tx
    .select({ id: alertIncidents.id })
    .from(alertIncidents)
    .where(incidentsOf(alert))
    .orderBy(desc(alertIncidents.id))
    .offset(MAX_INCIDENTS);
  await tx.delete(alertIncidents).where(inArray(alertIncidents.id, old));
}

/** Publishes the beginning of an open incident, unless it was published. */
async function sendUnsent(tx: Tx, alert: AlertRow, now: Date): Promise<void> {
  const sent = await tx
    .update(alertIncidents)
    .set({ sent: true })
    .where(and(incidentsOf(alert), isNull(alertIncidents.endedAt), eq(alertIncidents.sent, false)))
    .returning();
  for (const { id, startedBucket: bucket, value, expected } of sent) {
    await publish(tx, alert, { type: 'alert.fired', at: now, incidentId: id, bucket, value, expected });
  }
}

/** Ends the open incident, if any. Its end is published if its beginning was. */
async function endIncident(
  tx: Tx,
  alert: AlertRow,
  { ended, at, ...last }: { ended: Ended; at: Date } & Partial<Bucket>,
): Promise<void> {
  const closed = await tx
    .update(alertIncidents)
    .set({ endedAt: at, ...(ended !== 'deleted' && { ended }) })
    .where(and(incidentsOf(alert), isNull(alertIncidents.endedAt)))
    .returning();
  for (const { id, sent, startedBucket } of closed) {
    const { bucket = alert.evaluatedBucket ?? startedBucket, value = alert.value, expected = null } = last;
    const record = { type: 'alert.recovered' as const, at, incidentId: id, bucket, value, expected, ended };
    if (sent) await publish(tx, alert, record);
  }
}

type Announcement = Omit<AlertRecord, 'at' | 'projectId' | 'alertId' | 'name' | 'rule'> & { at: Date };

async function publish(
  tx: Tx,
  { projectId, id, definition }: AlertRow,
  { at, ...announcement }: Announcement,
) {
  const { name, rule } = definition;
  const record = { ...announcement, at: at.toISOString(), projectId, alertId: id, name, rule };
  await tx.insert(unpublishedAlerts).values({ record });
}

/** The records that wait to be published, as an outbox. */
export const alertsOutbox = (tx: Db | Tx) => ({
  oldest: (limit: number) =>
    tx.select().from(unpublishedAlerts).orderBy(asc(unpublishedAlerts.id)).limit(limit),
  async markPublished(rows: readonly InferSelectModel<typeof unpublishedAlerts>[]) {
    await tx.delete(unpublishedAlerts).where(
      inArray(
        unpublishedAlerts.id,
        rows.map(({ id }) => id),
      ),
    );
  },
});
