import type { Db } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import {
  accounts,
  companyDomains,
  groupRoles,
  oidcRecords,
  passkeys,
  recoveryCodes,
  scimGroupMembers,
  scimGroups,
  scimTokens,
  scimUsers,
  sessions,
  tickets,
  unpublishedMemberships,
  upstreamAccounts,
  upstreamProviders,
} from '../schema/index.ts';

export interface ErasureStore {
  /** Removes an account with everything that belongs to it. */
  removeAccount(id: string): Promise<void>;
  /** Removes the sign-in settings of a company, its invitations, users and groups. Accounts stay. */
  removeCompany(id: string): Promise<void>;
}

export function createErasureStore(db: Db): ErasureStore {
  return {
    async removeAccount(id) {
      await db.transaction(async (tx) => {
        const [account] = await tx
          .delete(accounts)
          .where(eq(accounts.id, id))
          .returning({ email: accounts.email });
        if (account !== undefined) {
          const isTo = eq(sql`${tickets.data}->>'email'`, account.email);
          await tx.delete(tickets).where(and(eq(tickets.kind, 'invitation'), isTo));
        }
        const users = await tx.delete(scimUsers).where(eq(scimUsers.accountId, id)).returning();
        for (const user of users)
          await tx.delete(scimGroupMembers).where(eq(scimGroupMembers.userId, user.id));
        await tx.delete(unpublishedMemberships).where(eq(unpublishedMemberships.sub, id));
        for (const table of [oidcRecords, passkeys, recoveryCodes, sessions, tickets, upstreamAccounts])
          await tx.delete(table).where(eq(table.accountId, id));
      });
    },

    async removeCompany(id) {
      await db.transaction(async (tx) => {
        const tables = [
          companyDomains,
          groupRoles,
          scimGroupMembers,
          scimGroups,
          scimTokens,
          scimUsers,
          unpublishedMemberships,
          upstreamProviders,
        ];
        for (const table of tables) await tx.delete(table).where(eq(table.companyId, id));
        await tx.delete(upstreamAccounts).where(eq(upstreamAccounts.provider, `company/${id}`));
        const isOfCompany = eq(sql`${tickets.data}->>'companyId'`, id);
        await tx.delete(tickets).where(and(eq(tickets.kind, 'invitation'), isOfCompany));
      });
    },
  };
}
