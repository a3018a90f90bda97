import { DEFAULT_ROLE, isGrantedByRole, ROLES, type Role } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import type { Clock } from '@switchboard/runtime';
import { z } from 'zod';
import type { AccountProblem, Accounts } from '../accounts/accounts.ts';
import type { AccountRow } from '../accounts/store.ts';
import type { Mails } from '../mails/mails.ts';
import type { Memberships } from '../memberships/memberships.ts';
import { currentLanguage, textsOf } from '../pages/texts/languages.ts';
import { createTicketsStore } from '../tickets/store.ts';
import { createTickets, type Tickets } from '../tickets/tickets.ts';

const DAYS = 7;
const INVITATION = {
  name: 'invitation',
  minutes: DAYS * 24 * 60,
  data: z.object({ email: z.string(), companyId: z.string(), role: z.enum(ROLES) }),
};
const fields = z.object({
  email: z.string().trim().toLowerCase().max(254).pipe(z.email()),
  companyId: z.string().trim().min(1).max(200),
  role: z.enum(ROLES),
});

/** An invitation that was not accepted yet. */
export interface Invitation {
  email: string;
  companyId: string;
  role: Role;
  /** Whether the address has an account. */
  hasAccount: boolean;
}

/** An open invitation, for the people who may remove it. */
export type SentInvitation = Omit<Invitation, 'hasAccount'> & { id: string };

export interface Invitations {
  /** Sends an invitation. Returns the problem if the fields are invalid or the person may not invite. */
  send(
    inviter: AccountRow,
    given: Partial<Record<string, string>>,
  ): Promise<'invalid' | 'forbidden' | { companyId: string }>;
  /** Sends an invitation with the transaction, without checking the inviter's role. Returns its id. */
  sendWith(tx: Tx, inviter: Inviter, invitation: Omit<Invitation, 'hasAccount'>): Promise<string>;
  /** Returns the open invitations to a company, without checking who asks. */
  listOf(companyId: string): Promise<SentInvitation[]>;
  /** Returns an open invitation to a company, without checking who asks. */
  findOf(companyId: string, id: string): Promise<Pick<Invitation, 'role'> | undefined>;
  /** Makes an invitation invalid with the transaction, without checking who asks. */
  removeWith(tx: Tx, id: string): Promise<void>;
  /** Returns the open invitations that the person sent. With a company, also all to it, if the person may change its members. */
  list(inviter: AccountRow, companyId?: string): Promise<SentInvitation[]>;
  /** Makes an invitation invalid that the person sent or could send. Returns its company, if it was open. */
  revoke(inviter: AccountRow, id: string): Promise<{ companyId: string } | undefined>;
  find(token: string): Promise<Invitation | undefined>;
  /** Adds the person to the company, and creates the account if there is none. */
  accept(
    token: string,
    account: { name: string; password: string },
  ): Promise<{ accountId: string; companyId: string; isNew: boolean } | AccountProblem | 'expired'>;
}

/** The person who invites. */
export interface Inviter {
  id: string;
  name: string;
}

interface InvitationsOptions {
  db: Db;
  clock: Clock;
  accounts: Accounts;
  directory: Pick<Directory, 'member'>;
  mails: Mails;
  memberships: Memberships;
  tickets: Tickets;
  issuer: string;
}

export function createInvitations(options: InvitationsOptions): Invitations {
  const { db, clock, accounts, directory, mails, memberships, tickets, issuer } = options;
  const ticketsOf = (connection: Db | Tx) => createTickets({ store: createTicketsStore(connection), clock });

  /** Operators invite to every company, members by their role: owners and admins only if they may change them. */
  async function mayInvite(inviter: AccountRow, companyId: string, role: Role): Promise<boolean> {
    if (inviter.permissions.includes('service.manage')) return true;
    const member = await directory.member(companyId, inviter.id);
    if (member === undefined) return false;
    const needed = isGrantedByRole(role, 'members.write') ? 'admins.write' : 'members.write';
    return isGrantedByRole(member.role, needed);
  }

  async function sendWith(
    tx: Tx,
    inviter: Inviter,
    invitation: Omit<Invitation, 'hasAccount'>,
  ): Promise<string> {
    const { email, companyId } = invitation;
    const token = await ticketsOf(tx).issue(INVITATION, { accountId: inviter.id, data: invitation });
    const texts = textsOf().mail;
    await mails.add(tx, {
      to: email,
      language: currentLanguage(),
      subject: texts.invitation(companyId),
      text: texts.invitationText(inviter.name, companyId, DAYS),
      button: textsOf().accept,
      link: `${issuer}/invitation/${token}`,
      address: texts.address,
      why: texts.invitationWhy,
    });
    return tickets.idOf(token);
  }

  return {
    sendWith,

    async send(inviter, given) {
      const parsed = fields.safeParse(given);
      if (!parsed.success) return 'invalid';
      const { companyId, role } = parsed.data;
      if (!(await mayInvite(inviter, companyId, role))) return 'forbidden';
      await db.transaction((tx) => sendWith(tx, inviter, parsed.data));
      return { companyId };
    },

    async listOf(companyId) {
      const open = await tickets.listInvitations(INVITATION, companyId);
      return open.map(({ id, data }) => ({ id, ...data }));
    },

    async findOf(companyId, id) {
      const found = await tickets.lookById(INVITATION, id);
      return found?.data.companyId === companyId ? found.data : undefined;
    },

    async removeWith(tx, id) {
      await ticketsOf(tx).removeById(INVITATION, id);
    },

    async list(inviter, companyId = '') {
      const maySeeAll = companyId !== '' && (await mayInvite(inviter, companyId, DEFAULT_ROLE));
      const all = maySeeAll ? await tickets.listInvitations(INVITATION, companyId) : [];
      const own = await tickets.list(INVITATION, inviter.id);
      const known = new Set(all.map(({ id }) => id));
      return [...all, ...own.filter(({ id }) => !known.has(id))].map(({ id, data }) => ({ id, ...data }));
    },

    async revoke(inviter, id) {
      const found = await tickets.lookById(INVITATION, id);
      if (found === undefined) return undefined;
      const { companyId, role } = found.data;
      if (found.accountId !== inviter.id && !(await mayInvite(inviter, companyId, role))) return undefined;
      return (await tickets.removeById(INVITATION, id)) ? { companyId } : undefined;
    },

    async find(token) {
      const found = await tickets.look(INVITATION, token);
      if (found === undefined) return undefined;
      const hasAccount = (await accounts.findByEmail(found.data.email)) !== undefined;
      return { ...found.data, hasAccount };
    },

    async accept(token, { name, password }) {
      const found = await tickets.look(INVITATION, token);
      if (found === undefined) return 'expired';
      const { email, companyId, role } = found.data;
      const known = await accounts.findByEmail(email);
      const account = known ?? (await accounts.create({ email, name, password, permissions: [] }));
      if (typeof account === 'string') return account;
      if ((await tickets.take(INVITATION, token)) === undefined) return 'expired';
      await accounts.noteUse(account.id);
      const member = { companyId, sub: account.id, name: account.name, email, role };
      await db.transaction((tx) => memberships.set(tx, member));
      return { accountId: account.id, companyId, isNew: known === undefined };
    },
  };
}
