import { DEFAULT_ROLE } from '@switchboard/contracts';
import { newId, type Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/runtime';
import type { Accounts } from '../accounts/accounts.ts';
import type { Memberships } from '../memberships/memberships.ts';
import { notFound, ScimProblem } from './errors.ts';
import { createGroupRoles, greatestRole } from './group-roles.ts';
import { type Listed, type ListRequest, listed } from './lists.ts';
import { applyPatch } from './patch.ts';
import {
  ENTERPRISE_SCHEMA,
  emailOf,
  nameOf,
  parsed,
  type ScimUser,
  scimUser,
  USER_SCHEMA,
} from './resources.ts';
import type { ScimStore, UserRow } from './store.ts';

export interface ScimUsers {
  list(companyId: string, request: ListRequest): Promise<Listed>;
  get(companyId: string, id: string): Promise<object>;
  create(companyId: string, input: unknown): Promise<{ id: string }>;
  replace(companyId: string, id: string, input: unknown): Promise<object>;
  patch(companyId: string, id: string, input: unknown): Promise<object>;
  /** Also ends the membership of the user, and removes an account that was never used. */
  remove(companyId: string, id: string): Promise<void>;
}

interface ScimUsersOptions {
  store: ScimStore;
  memberships: Memberships;
  accounts: Pick<Accounts, 'create' | 'removeUnused'>;
  /** Whether the company has verified the domain of an e-mail address. */
  vouchesFor(companyId: string, email: string): Promise<boolean>;
  clock: Clock;
  /** The address of `/scim/v2`. */
  baseUrl: string;
}

const MAX_USERS = 10_000;
const MAX_ATTRIBUTES_BYTES = 16_000;

/** Users of companies, as a provider manages them. Each method throws ScimProblem. */
export function createScimUsers(options: ScimUsersOptions): ScimUsers {
  const { store, memberships, accounts, clock, baseUrl } = options;

  function resource(row: UserRow, groups: readonly { groupId: string; groupName: string }[]) {
    return {
      schemas: [USER_SCHEMA, ...(ENTERPRISE_SCHEMA in row.attributes ? [ENTERPRISE_SCHEMA] : [])],
      ...row.attributes,
      id: row.id,
      groups: groups.map(({ groupId, groupName }) => ({
        value: groupId,
        display: groupName,
        $ref: `${baseUrl}/Groups/${groupId}`,
      })),
      meta: {
        resourceType: 'User',
        created: row.createdAt.toISOString(),
        lastModified: row.updatedAt.toISOString(),
        location: `${baseUrl}/Users/${row.id}`,
      },
    };
  }

  async function show(from: ScimStore, rows: readonly UserRow[]): Promise<{ id: string }[]> {
    const [first] = rows;
    if (first === undefined) return [];
    const groups = Map.groupBy(
      await from.groupsOf(
        first.companyId,
        rows.map(({ id }) => id),
      ),
      ({ userId }) => userId,
    );
    return rows.map((row) => resource(row, groups.get(row.id) ?? []));
  }

  async function shown(from: ScimStore, row: UserRow): Promise<{ id: string }> {
    const [found] = await show(from, [row]);
    return found ?? { id: row.id };
  }

  async function existing(from: ScimStore, companyId: string, id: string): Promise<UserRow> {
    const row = await from.findUser(companyId, id);
    if (row === undefined) throw notFound('User', id);
    return row;
  }

  /** Checks the name and the account of a user against the others of the company, and returns the row to store. */
  async function rowOf(
    within: ScimStore,
    tx: Tx,
    { companyId, id, input, before }: { companyId: string; id: string; input: unknown; before?: UserRow },
  ): Promise<UserRow> {
    const { user, attributes } = toStore(input);
    const userName = user.userName.toLowerCase();
    const others = await within.listUsers(companyId, { name: userName }, '');
    if (others.some((other) => other.id !== id)) {
      throw new ScimProblem(409, `userName: another user has the name ${user.userName}`, 'uniqueness');
    }
    const email = emailOf(user);
    const hasNewAddress = before === undefined || email !== emailOf(parsed(scimUser, before.attributes));
    if (hasNewAddress && !(await options.vouchesFor(companyId, email))) {
      const problem = `emails: the company has not verified the domain of ${email}. Verify it first`;
      throw new ScimProblem(400, problem, 'invalidValue');
    }
    const accountId = before?.accountId ?? (await accountOf(tx, email, nameOf(user)));
    const sharing = await within.listUsers(companyId, { accountId }, '');
    if (sharing.some((other) => other.id !== id)) {
      throw new ScimProblem(409, `emails: another user has the address ${email}`, 'uniqueness');
    }
    const now = clock.now();
    return {
      companyId,
      id,
      accountId,
      userName,
      externalId: user.externalId ?? null,
      attributes,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
  }

  /** Returns the account with this address, and creates it if there is none. */
  async function accountOf(tx: Tx, email: string, name: string): Promise<string> {
    const account = await accounts.create({ email, name, password: '', permissions: [] }, tx);
    if (typeof account !== 'string') return account.id;
    const field = account === 'invalidEmail' ? 'emails' : 'displayName';
    throw new ScimProblem(400, `${field}: not valid`, 'invalidValue');
  }

  async function update(
    companyId: string,
    id: string,
    inputOf: (before: UserRow) => unknown,
  ): Promise<object> {
    return store.change(companyId, async (within, tx) => {
      const before = await existing(within, companyId, id);
      const row = await rowOf(within, tx, { companyId, id, input: inputOf(before), before });
      await within.updateUser(row);
      await syncMembers({ store: within, memberships, tx }, [row]);
      return shown(within, row);
    });
  }

  return {
    list: (companyId, request) =>
      listed(request, {
        read: (equals, after) =>
          store.listUsers(
            companyId,
            {
              id: equals.get('id'),
              name: equals.get('username')?.toLowerCase(),
              externalId: equals.get('externalid'),
            },
            after,
          ),
        count: () => store.countUsers(companyId),
        slice: (offset, limit) => store.listUsers(companyId, {}, '', { offset, limit }),
        match: (row) => resource(row, []),
        show: (rows) => show(store, rows),
      }),

    get: async (companyId, id) => shown(store, await existing(store, companyId, id)),

    create: (companyId, input) =>
      store.change(companyId, async (within, tx) => {
        if ((await within.countUsers(companyId)) >= MAX_USERS) {
          throw new ScimProblem(409, `the company has ${MAX_USERS} users. Remove some first`);
        }
        const row = await rowOf(within, tx, { companyId, id: newId('scu'), input });
        await within.insertUser(row);
        await syncMembers({ store: within, memberships, tx }, [row]);
        return shown(within, row);
      }),

    replace: (companyId, id, input) => update(companyId, id, () => input),

    patch: (companyId, id, input) => update(companyId, id, ({ attributes }) => applyPatch(attributes, input)),

    remove: (companyId, id) =>
      store.change(companyId, async (within, tx) => {
        const { accountId } = await existing(within, companyId, id);
        await within.removeUser(companyId, id);
        await memberships.remove(tx, { companyId, sub: accountId });
        await accounts.removeUnused(tx, accountId);
      }),
  };
}

function toStore(input: unknown): { user: ScimUser; attributes: Record<string, unknown> } {
  const user = parsed(scimUser, input);
  const { schemas: _, ...attributes } = { schemas: undefined, ...user };
  if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_ATTRIBUTES_BYTES) {
    throw new ScimProblem(413, `the user is larger than ${MAX_ATTRIBUTES_BYTES} bytes`);
  }
  return { user, attributes };
}

/** Makes active users members of their company, with the greatest role of their groups, and ends other memberships. */
export async function syncMembers(
  { store, memberships, tx }: { store: ScimStore; memberships: Memberships; tx: Tx },
  rows: readonly UserRow[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { companyId } = first;
  const roles = await createGroupRoles(store).list(companyId);
  const groups = Map.groupBy(
    await store.groupsOf(
      companyId,
      rows.map(({ id }) => id),
    ),
    ({ userId }) => userId,
  );
  for (const { id, accountId, attributes } of rows) {
    const user = parsed(scimUser, attributes);
    if (!user.active) {
      await memberships.remove(tx, { companyId, sub: accountId });
      continue;
    }
    // The provider decides about the role, so that a user who left all groups has the least one.
    const role =
      greatestRole(
        roles,
        (groups.get(id) ?? []).map(({ groupName }) => groupName),
      ) ?? DEFAULT_ROLE;
    await memberships.set(tx, { companyId, sub: accountId, name: nameOf(user), email: emailOf(user), role });
  }
}
