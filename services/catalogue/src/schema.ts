import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

const createdAt = () => timestamp('created_at', { withTimezone: true }).notNull().defaultNow();
/** JSON as text: it comes back byte for byte, in the order its properties were written. */
const json = (name: string) => text(name).notNull();

export const plans = pgTable(
  'plans',
  {
    tier: text().notNull(),
    cycle: text().notNull(),
    /** The order in which plans were first created. */
    position: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    trialDays: integer('trial_days').notNull(),
    priced: boolean().notNull(),
    entitlements: json('entitlements'),
  },
  (table) => [primaryKey({ columns: [table.tier, table.cycle] })],
);

const price = (name: string) => bigint(name, { mode: 'number' }).notNull();

/** Prices before the markup, in micro-dollars per million tokens. */
export const aiModels = pgTable('ai_models', {
  id: text().primaryKey(),
  displayName: text('display_name').notNull(),
  input: price('input'),
  output: price('output'),
  cacheWrite5m: price('cache_write_5m'),
  cacheWrite1h: price('cache_write_1h'),
  cacheRead: price('cache_read'),
});

/** One row. */
export const aiMarkup = pgTable(
  'ai_markup',
  { only: boolean().primaryKey().default(true), percent: integer().notNull().default(0) },
  (table) => [check('one_row', sql`${table.only}`)],
);

export const companies = pgTable(
  'companies',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    tier: text().notNull(),
    cycle: text().notNull(),
    entitlements: json('entitlements'),
  },
  (table) => [index('companies_by_plan').on(table.tier, table.cycle)],
);

export const members = pgTable(
  'members',
  {
    companyId: text('company_id')
      .notNull()
      .references(() => companies.id),
    sub: text().notNull(),
    name: text().notNull(),
    email: text().notNull(),
    avatarUrl: text('avatar_url'),
    pushSubscriptions: json('push_subscriptions'),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.sub] })],
);

export const projects = pgTable(
  'projects',
  {
    id: text().primaryKey(),
    companyId: text('company_id')
      .notNull()
      .references(() => companies.id),
    name: text().notNull(),
    region: text().notNull(),
    defaultLanguage: text('default_language').notNull(),
  },
  (table) => [index('projects_by_company').on(table.companyId)],
);

export const projectKeys = pgTable(
  'project_keys',
  {
    key: text().primaryKey(),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    createdAt: createdAt(),
  },
  (table) => [index('project_keys_by_project').on(table.projectId, table.createdAt)],
);

export const reports = pgTable(
  'reports',
  {
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    id: text().notNull(),
    name: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] })],
);

/** Records of the topic `directory` that are not published yet, in the order of their changes. The id is the revision. */
export const outbox = pgTable('outbox', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  key: text().notNull(),
  value: text(),
  createdAt: createdAt(),
});
