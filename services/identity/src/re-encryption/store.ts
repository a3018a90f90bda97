import type { Db } from '@switchboard/database';
import { asc, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { accounts, mails, oidcRecords, signingKeys, upstreamProviders } from '../schema/index.ts';

const PAGE_SIZE = 200;

/** An encrypted text, with the values of the primary key of its row. */
export interface EncryptedRow {
  keys: string[];
  encrypted: string;
  context: string;
}

/** A column with encrypted texts. */
export interface EncryptedColumn {
  /** The purpose that the texts are encrypted for. */
  purpose: string;
  /** Returns the rows that follow the given one in the order of the primary key. */
  page(after: EncryptedRow | undefined): Promise<EncryptedRow[]>;
  /** Replaces the text of a row, unless it has changed. */
  replace(row: EncryptedRow, encrypted: string): Promise<void>;
}

export interface ReEncryptionStore {
  /** The columns with texts that are encrypted with ACCOUNT_SECRET. */
  columns: EncryptedColumn[];
}

export function createReEncryptionStore(db: Db): ReEncryptionStore {
  function column(
    purpose: string,
    { table, keys, text }: { table: PgTable; keys: AnyPgColumn[]; text: AnyPgColumn },
    contextOf = (values: string[]) => values.join(' '),
  ): EncryptedColumn {
    const tuple = (values: (AnyPgColumn | string)[]): SQL =>
      sql`(${sql.join(
        values.map((value) => sql`${value}`),
        sql`, `,
      )})`;

    return {
      purpose,
      async page(after) {
        const follows = after === undefined ? sql`true` : sql`${tuple(keys)} > ${tuple(after.keys)}`;
        const rows = await db
          .select({
            keys: sql<string[]>`array[${sql.join(keys, sql`, `)}]`,
            encrypted: sql<string>`${text}`,
          })
          .from(table)
          .where(sql`${isNotNull(text)} and ${follows}`)
          .orderBy(...keys.map((key) => asc(key)))
          .limit(PAGE_SIZE);
        return rows.map((row) => ({ ...row, context: contextOf(row.keys) }));
      },
      async replace(row, encrypted) {
        const isRow = sql`${tuple(keys)} = ${tuple(row.keys)} and ${eq(text, row.encrypted)}`;
        await db.execute(sql`update ${table} set ${sql.identifier(text.name)} = ${encrypted} where ${isRow}`);
      },
    };
  }

  const columns = [
    column('signing keys', { table: signingKeys, keys: [signingKeys.id], text: signingKeys.key }),
    column(
      'factors',
      { table: accounts, keys: [accounts.id], text: accounts.totpSecret },
      ([id]) => `totp ${id}`,
    ),
    column('provider secrets', {
      table: upstreamProviders,
      keys: [upstreamProviders.companyId],
      text: upstreamProviders.clientSecret,
    }),
    column('OpenID state', {
      table: oidcRecords,
      keys: [oidcRecords.kind, oidcRecords.hash],
      text: oidcRecords.payload,
    }),
    column('e-mails', { table: mails, keys: [mails.id], text: mails.content }),
  ];
  return { columns };
}
