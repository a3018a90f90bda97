import {
  DEFAULT_ROLE,
  isGrantedByRole,
  type Member,
  missingPermission,
  type Role,
} from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { auditDetails, Conflict, Forbidden, NotFound, type PageRequest } from '@switchboard/service-kit';
import { type Companies, companyNotFound } from '../companies/companies.ts';
import { createCompaniesStore } from '../companies/store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { tokenTombstones } from '../tokens/record.ts';
import { createTokensStore } from '../tokens/store.ts';
import { createMembersStore, type MemberRow, type MembersStore } from './store.ts';

/** The members of companies. */
export interface Members {
  /** Throws NotFound when the company does not exist. */
  list(companyId: string, page: PageRequest): Promise<{ members: Member[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(companyId: string, sub: string): Promise<Member>;
  /** Throws NotFound when the company does not exist, Forbidden for a role that the editor may not give or take. */
  put(companyId: string, member: Member, editor: Editor): Promise<Member>;
  /** Throws Forbidden for a member whose role the editor may not take. */
  remove(companyId: string, sub: string, editor: Editor): Promise<void>;
}

/** Who changes a member. */
export interface Editor {
  sub: string;
  /** Whether the roles admin and owner may be given and taken. */
  mayChangeAdmins: boolean;
  /** An operator of the deployment can also leave a company without an owner. */
  isOperator: boolean;
}

interface MembersOptions {
  db: Db;
  outbox: Outbox;
  companies: Pick<Companies, 'get'>;
}

export function createMembers({ db, outbox, companies }: MembersOptions): Members {
  const store = createMembersStore(db);
  return {
    async list(companyId, page) {
      await companies.get(companyId);
      const { rows, nextCursor } = await store.list(companyId, page);
      return { members: rows.map(fromRow), nextCursor };
    },

    async get(companyId, sub) {
      const row = await store.find(companyId, sub);
      if (row === undefined) throw new NotFound('Member not found.');
      return fromRow(row);
    },

    async put(
      companyId,
      { sub, name, email, role = DEFAULT_ROLE, avatarUrl = null, pushSubscriptions = [] },
      editor,
    ) {
      const content = { companyId, sub, name, email, role, avatarUrl };
      const row = { ...content, pushSubscriptions: JSON.stringify(pushSubscriptions) };
      await outbox.change(async (tx, announce) => {
        // One change of a company's members at a time: two owners cannot remove each other.
        if (!(await createCompaniesStore(tx).lock(companyId))) throw companyNotFound();
        await requireChangeOfRole(createMembersStore(tx), { companyId, sub, role, editor });
        await createMembersStore(tx).upsert(row);
        announce([directoryRecord('member', { ...content, pushSubscriptions })]);
      });
      return fromRow(row);
    },

    async remove(companyId, sub, editor) {
      await outbox.change(async (tx, announce) => {
        await createCompaniesStore(tx).lock(companyId);
        await requireChangeOfRole(createMembersStore(tx), { companyId, sub, role: undefined, editor });
        const isRemoved = await createMembersStore(tx).remove(companyId, sub);
        if (!isRemoved) return;
        announce([directoryTombstone('member', companyId, sub)]);
        announce(tokenTombstones(await createTokensStore(tx).removeOfPerson(sub, companyId)));
      });
    },
  };
}

interface ChangeOfRole {
  companyId: string;
  sub: string;
  /** Undefined: the member is removed. */
  role: Role | undefined;
  editor: Editor;
}

async function requireChangeOfRole(
  store: MembersStore,
  { companyId, sub, role, editor }: ChangeOfRole,
): Promise<void> {
  const before = (await store.find(companyId, sub))?.role;
  auditDetails({ before: before && { role: before }, after: role && { role } });
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

function fromRow({ sub, name, email, role, avatarUrl, pushSubscriptions }: MemberRow): Member {
  return { sub, name, email, role, avatarUrl, pushSubscriptions: JSON.parse(pushSubscriptions) };
}
