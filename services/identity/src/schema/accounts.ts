import { sql } from 'drizzle-orm';
import { bigint, customType, index, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
const bytes = customType<{ data: Uint8Array<ArrayBuffer>; driverData: Buffer }>({
  dataType: () => 'bytea',
  fromDriver: (value) => new Uint8Array(value),
  toDriver: (value) => Buffer.from(value),
});

/** People who sign in here. */
export const accounts = pgTable('accounts', {
  /** The `sub` of access tokens. */
  id: text().primaryKey(),
  /** In lower case. */
  email: text().notNull().unique(),
  name: text().notNull(),
  /** A PHC string of argon2id; null without a password. */
  password: text(),
  /** The encrypted secret of an authenticator app; null without one. */
  totpSecret: text('totp_secret'),
  /** The last time step of which a code was used, so that no code is used twice. */
  totpStep: bigint('totp_step', { mode: 'number' }).notNull().default(0),
  /** Permissions in the person's access tokens, such as `service.manage`. */
  permissions: json().$type<string[]>().notNull().default(sql`'[]'`),
  createdAt: time('created_at').notNull().defaultNow(),
  /** When its person first signed in or accepted an invitation; null for an account that a provider alone created. */
  usedAt: time('used_at'),
});

/** Passkeys of people. */
export const passkeys = pgTable(
  'passkeys',
  {
    /** The credential id, base64url. */
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    publicKey: bytes('public_key').notNull(),
    counter: bigint({ mode: 'number' }).notNull(),
    name: text().notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    usedAt: time('used_at'),
  },
  (table) => [index('passkeys_by_account').on(table.accountId)],
);

/** Unused recovery codes, which replace an authenticator app once each. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  { accountId: text('account_id').notNull(), hash: text().notNull() },
  (table) => [primaryKey({ columns: [table.accountId, table.hash] })],
);
