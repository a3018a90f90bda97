import { sql } from 'drizzle-orm';
import { index, integer, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Sessions of browsers, by the hash of their cookie. */
export const sessions = pgTable(
  'sessions',
  {
    hash: text().primaryKey(),
    /** Names the session on pages. */
    id: text().notNull(),
    accountId: text('account_id').notNull(),
    /** How the person signed in: RFC 8176 values. */
    methods: json().$type<string[]>().notNull(),
    agent: text().notNull(),
    address: text().notNull(),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    index('sessions_by_account').on(table.accountId),
    index('sessions_by_expiry').on(table.expiresAt),
  ],
);

/** Secrets that work once: links in e-mails, challenges, half-finished sign-ins. */
export const tickets = pgTable(
  'tickets',
  {
    hash: text().primaryKey(),
    kind: text().notNull(),
    /** The account that the ticket is about, if there is one. */
    accountId: text('account_id'),
    data: json().$type<unknown>().notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    index('tickets_by_account').on(table.accountId),
    index('tickets_by_expiry').on(table.expiresAt),
    index('tickets_by_company')
      .on(sql`(${table.data} ->> 'companyId')`)
      .where(sql`${table.kind} = 'invitation'`),
  ],
);

/** The state of the OpenID provider: codes, refresh tokens, grants. A hash stands for each id. */
export const oidcRecords = pgTable(
  'oidc_records',
  {
    kind: text().notNull(),
    hash: text().notNull(),
    /** Encrypted, because it contains the id. */
    payload: text().notNull(),
    accountId: text('account_id'),
    grantHash: text('grant_hash'),
    uidHash: text('uid_hash'),
    userCodeHash: text('user_code_hash'),
    consumedAt: time('consumed_at'),
    /** The refresh token that replaced a consumed one. */
    successorHash: text('successor_hash'),
    expiresAt: time('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.hash] }),
    index('oidc_records_by_grant').on(table.grantHash).where(sql`${table.grantHash} is not null`),
    index('oidc_records_by_uid').on(table.uidHash).where(sql`${table.uidHash} is not null`),
    index('oidc_records_by_user_code').on(table.userCodeHash).where(sql`${table.userCodeHash} is not null`),
    index('oidc_records_by_account').on(table.accountId).where(sql`${table.accountId} is not null`),
    index('oidc_records_by_expiry').on(table.expiresAt),
  ],
);

/** Keys that sign tokens. */
export const signingKeys = pgTable('signing_keys', {
  /** The `kid` of tokens. */
  id: text().primaryKey(),
  /** The private JWK, encrypted. */
  key: text().notNull(),
  createdAt: time('created_at').notNull(),
});

/** E-mails that are not sent yet. */
export const mails = pgTable(
  'mails',
  {
    id: text().primaryKey(),
    /** The recipient and the text, encrypted. */
    content: text().notNull(),
    attempts: integer().notNull().default(0),
    dueAt: time('due_at').notNull(),
  },
  (table) => [index('mails_due').on(table.dueAt)],
);
