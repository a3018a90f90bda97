import type { Db, Transactor } from '@switchboard/database';
import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import { dashboardLinks, type LinksTable, publicLinks } from '../schema/index.ts';
import type { LinkSubject } from './subject.ts';

export interface LinkRow {
  subjectId: string;
  encryptedToken: string;
  createdAt: Date;
  expiresOn: string;
}

export interface EncryptedLink {
  projectId: string;
  subjectId: string;
  encryptedToken: string;
}

export interface PublicLinksStore {
  /** Returns the link if it is on as of `today`. */
  find(projectId: string, subjectId: string, today: string): Promise<LinkRow | undefined>;
  /**
   * Turns a link on with the given token. If the link is already on, moves its stop day and keeps its token.
   * Throws NotFound when the subject no longer exists.
   */
  turnOn(
    link: LinkRow & { projectId: string; tokenHash: string },
    today: string,
    within: Transactor,
  ): Promise<LinkRow>;
  turnOff(projectId: string, subjectId: string, within: Transactor): Promise<void>;
  /** Returns a page of all links, including stopped ones, ordered by project and subject. */
  page(after: EncryptedLink | undefined): Promise<EncryptedLink[]>;
  /** Replaces the encrypted token unless it has changed since. */
  replaceEncrypted(link: EncryptedLink, encryptedToken: string): Promise<void>;
}

const PAGE_SIZE = 500;
const TABLES = { report: publicLinks, dashboard: dashboardLinks };

const named = (table: LinksTable, projectId: string, subjectId: string) =>
  and(eq(table.projectId, projectId), eq(table.subjectId, subjectId));

export function createPublicLinksStore(db: Db, { noun, hold }: LinkSubject): PublicLinksStore {
  const table = TABLES[noun];
  const columns = {
    subjectId: table.subjectId,
    encryptedToken: table.encryptedToken,
    createdAt: table.createdAt,
    expiresOn: table.expiresOn,
  };
  return {
    async find(projectId, subjectId, today) {
      const [row] = await db
        .select(columns)
        .from(table)
        .where(and(named(table, projectId, subjectId), gt(table.expiresOn, today)));
      return row;
    },

    async turnOn(link, today, within) {
      const keepWhileOn = (column: 'token_hash' | 'sealed_token' | 'created_at'): SQL => {
        const name = sql.identifier(column);
        return sql`case when ${table}.expires_on > ${today}::date then ${table}.${name} else excluded.${name} end`;
      };
      return within.transaction(async (tx) => {
        await hold(tx, link.projectId, link.subjectId);
        const [row] = await tx
          .insert(table)
          .values(link)
          .onConflictDoUpdate({
            target: [table.projectId, table.subjectId],
            set: {
              tokenHash: keepWhileOn('token_hash'),
              encryptedToken: keepWhileOn('sealed_token'),
              createdAt: keepWhileOn('created_at'),
              expiresOn: sql`excluded.expires_on`,
            },
          })
          .returning(columns);
        if (row === undefined) throw new Error('public link was not stored');
        return row;
      });
    },

    async turnOff(projectId, subjectId, within) {
      await within.transaction((tx) => tx.delete(table).where(named(table, projectId, subjectId)));
    },

    async page(after) {
      const { projectId, subjectId, encryptedToken } = table;
      return db
        .select({ projectId, subjectId, encryptedToken })
        .from(table)
        .where(after && sql`(${projectId}, ${subjectId}) > (${after.projectId}, ${after.subjectId})`)
        .orderBy(projectId, subjectId)
        .limit(PAGE_SIZE);
    },

    async replaceEncrypted({ projectId, subjectId, encryptedToken }, replacement) {
      await db
        .update(table)
        .set({ encryptedToken: replacement })
        .where(and(named(table, projectId, subjectId), eq(table.encryptedToken, encryptedToken)));
    },
  };
}
