import type { AlertDefinition, AlertRecord } from '@switchboard/contracts';
import {
  bigserial,
  boolean,
  doublePrecision,
  foreignKey,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** The alerts of each project, with the state of their evaluation. */
export const alerts = pgTable(
  'alerts',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    definition: json().$type<AlertDefinition>().notNull(),
    enabled: boolean().notNull(),
    /** Grows when the query or rule changes, so that a running evaluation of the earlier alert has no effect. */
    revision: integer().notNull().default(1),
    isFiring: boolean('is_firing').notNull().default(false),
    streak: integer().notNull().default(0),
    /** The last evaluated bucket, and its value. */
    evaluatedBucket: text('evaluated_bucket'),
    value: doublePrecision(),
    error: text(),
    snoozedUntil: time('snoozed_until'),
    nextAt: time('next_at').notNull(),
    /** The end of the claim of a running evaluation. No other instance evaluates the alert before this time. */
    claimedUntil: time('claimed_until'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] }), index('alerts_by_time').on(table.nextAt)],
);

/** The incidents of alerts. */
export const alertIncidents = pgTable(
  'alert_incidents',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    alertId: text('alert_id').notNull(),
    startedBucket: text('started_bucket').notNull(),
    startedAt: time('started_at').notNull(),
    value: doublePrecision(),
    expected: doublePrecision(),
    endedAt: time('ended_at'),
    ended: text({ enum: ['recovered', 'changed', 'disabled'] }),
    /** Whether its beginning was sent. */
    sent: boolean().notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.projectId, table.alertId],
      foreignColumns: [alerts.projectId, alerts.id],
    }).onDelete('cascade'),
    index('alert_incidents_of_alert').on(table.projectId, table.alertId, table.id),
  ],
);

/** Records that wait to be published to the topic `alerts`. */
export const unpublishedAlerts = pgTable('unpublished_alerts', {
  id: bigserial({ mode: 'bigint' }).primaryKey(),
  record: json().$type<AlertRecord>().notNull(),
});
