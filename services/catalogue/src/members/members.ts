import {
  isGrantedByRole,
  isLesserRole,
  type LeftServiceToken,
  type Member,
  type MemberContent,
  missingPermission,
  type Role,
} from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { directoryRecord, directoryTombstone, type PushSubscription } from '@switchboard/directory';
import {
  type AuditedChange,
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  type PageRequest,
} from '@switchboard/http';
import { requireRoom } from '../companies/bounds.ts';
import { type Companies, companyNotFound } from '../companies/companies.ts';
import { createCompaniesStore } from '../companies/store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { tokenTombstones } from '../records/tokens.ts';
import { leaveServiceTokens } from '../tokens/leaving.ts';
import { createTokensStore } from '../tokens/store.ts';
import { createMembersStore, type MemberRow, type MembersStore } from './store.ts';

/** The members of companies. */
export interface Members {
  /** Throws NotFound when the company does not exist. */
  list(
    companyId: string,
    page: PageRequest,
    reader: Reader,
  ): Promise<{ members: Member[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(companyId: string, sub: string, reader: Reader): Promise<Member>;
  /**
   * Throws NotFound when the company does not exist, Forbidden for a role that the editor may not grant or remove,
   * Conflict when the company has no free seat, and BadRequest for a new push subscription without keys.
   */
  put(
    change: AuditedChange,
    companyId: string,
    member: MemberContent,
    editor: Editor,
  ): Promise<Member & Left>;
  /** Throws Forbidden for a member with a role that the editor may not remove. */
  remove(change: AuditedChange, companyId: string, sub: string, editor: Editor): Promise<Left>;
}

/** The service tokens of a member who leaves or loses permissions. */
interface Left {
  serviceTokens: LeftServiceToken[];
}

/** The person who reads members. */
export interface Reader {
  sub: string;
  /** Whether the e-mail addresses and push services of other members are shown. */
  mayReadContacts: boolean;
}

/** The person who changes a member. */
export interface Editor {
  sub: string;
  /** Whether the roles admin and owner may be granted and removed. */
  mayChangeAdmins: boolean;
  /** Whether the editor is an operator of the deployment, who may leave a company without an owner. */
  isOperator: boolean;
  /** Whether to keep the service tokens of a member who leaves. */
  keepsServiceTokens: boolean;
}

interface MembersOptions {
  db: Db;
  outbox: Outbox;
  companies: Pick<Companies, 'get'>;
}

export function createMembers({ db, outbox, companies }: MembersOptions): Members {
  const store = createMembersStore(db);
  return {
    async list(companyId, page, reader) {
      await companies.get(companyId);
      const { rows, nextCursor } = await store.list(companyId, page);
      return { members: rows.map((row) => present(row, reader)), nextCursor };
    },

    async get(companyId, sub, reader) {
      const row = await store.find(companyId, sub);
      if (row === undefined) throw new NotFound('Member not found.');
      return present(row, reader);
    },

    async put(change, companyId, { sub, name, email, role, avatarUrl = null, pushSubscriptions }, editor) {
      const { row, serviceTokens } = await outbox.change(change, async (tx, announce) => {
        // Serialises changes to a company's members, so that two owners cannot remove each other.
        if (!(await createCompaniesStore(tx).lock(companyId))) throw companyNotFound();
        const own = createMembersStore(tx);
        const before = await own.find(companyId, sub);
        await requireChangeOfRole(own, { companyId, sub, before: before?.role, role, editor });
        if (before === undefined) await requireRoom(tx, companyId, 'seats');
        const known: PushSubscription[] = JSON.parse(before?.pushSubscriptions ?? '[]');
        const content = { companyId, sub, name, email, role, avatarUrl };
        const subscriptions = pushSubscriptions === undefined ? known : withKeys(pushSubscriptions, known);
        const stored = { ...content, pushSubscriptions: JSON.stringify(subscriptions) };
        const generation = (await own.upsert(stored)) ?? undefined;
        announce([directoryRecord('member', { ...content, pushSubscriptions: subscriptions, generation })]);
        const left = isLesserRole(role, before?.role)
          ? await leaveServiceTokens(tx, { companyId, sub, role, keeps: editor.keepsServiceTokens })
          : { serviceTokens: [], records: [] };
        announce(left.records);
        change.describe(rolesOf(before?.role, role, left.serviceTokens));
        return { row: stored, serviceTokens: left.serviceTokens };
      });
      return { ...present(row, { sub: editor.sub, mayReadContacts: true }), serviceTokens };
    },

    async remove(change, companyId, sub, editor) {
      const serviceTokens = await outbox.change(change, async (tx, announce) => {
        await createCompaniesStore(tx).lock(companyId);
        const own = createMembersStore(tx);
        const before = await own.find(companyId, sub);
        await requireChangeOfRole(own, { companyId, sub, before: before?.role, role: undefined, editor });
        if (!(await own.remove(companyId, sub))) return [];
        announce([directoryTombstone('member', companyId, sub)]);
        announce(tokenTombstones(await createTokensStore(tx).removeOfPerson(sub, companyId)));
        const leaving = { companyId, sub, role: undefined, keeps: editor.keepsServiceTokens };
        const left = await leaveServiceTokens(tx, leaving);
        announce(left.records);
        change.describe(rolesOf(before?.role, undefined, left.serviceTokens));
        return left.serviceTokens;
      });
      return { serviceTokens };
    },
  };
}

interface ChangeOfRole {
  companyId: string;
  sub: string;
  /** Undefined: not a member. */
  before: Role | undefined;
  /** Undefined: the member is removed. */
  role: Role | undefined;
  editor: Editor;
}

async function requireChangeOfRole(
  store: MembersStore,
  { companyId, sub, before, role, editor }: ChangeOfRole,
): Promise<void> {
  const isAdmin = (one: Role | undefined) => one !== undefined && isGrantedByRole(one, 'members.write');
  const isOwnEntry = sub === editor.sub && role === before;
  if ((isAdmin(before) || isAdmin(role)) && !isOwnEntry && !editor.mayChangeAdmins) {
    throw new Forbidden(`role: ${missingPermission('admins.write')}`);
  }
  const losesOwner = before === 'owner' && role !== 'owner';
  if (losesOwner && !editor.isOperator && (await store.countOwners(companyId)) === 1) {
    throw new Conflict(`${sub} is the only owner of the company. Give another member the role owner first.`);
  }
}

/** Returns the role before and after the change, and the tokens that it revoked, for the audit entry. */
function rolesOf(
  before: Role | undefined,
  role: Role | undefined,
  serviceTokens: readonly LeftServiceToken[],
) {
  const revokedTokens = serviceTokens.filter(({ revoked }) => revoked).map(({ id }) => id);
  const after = { ...(role && { role }), ...(revokedTokens.length > 0 && { revokedTokens }) };
  return {
    before: before && { role: before },
    after: Object.keys(after).length > 0 ? after : undefined,
  };
}

/** Adds the stored keys to known subscriptions that were sent without keys. */
function withKeys(
  given: NonNullable<MemberContent['pushSubscriptions']>,
  known: readonly PushSubscription[],
): PushSubscription[] {
  return given.map((subscription, index) => {
    const { endpoint } = subscription;
    const keys = subscription.keys ?? known.find((one) => one.endpoint === endpoint)?.keys;
    if (keys === undefined) {
      throw new BadRequest(
        `pushSubscriptions[${index}].keys: required for an endpoint that the member does not have yet`,
      );
    }
    return { ...subscription, keys };
  });
}

function present(
  { sub, name, email, role, avatarUrl, pushSubscriptions }: Omit<MemberRow, 'generation'>,
  reader: Reader,
): Member {
  const isShown = reader.mayReadContacts || reader.sub === sub;
  const known: PushSubscription[] = isShown ? JSON.parse(pushSubscriptions) : [];
  return {
    sub,
    name,
    email: isShown ? email : null,
    role,
    avatarUrl,
    pushSubscriptions: known.map(({ endpoint }) => ({ endpoint })),
  };
}
