import { newId, type Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/runtime';
import type { Memberships } from '../memberships/memberships.ts';
import { notFound, ScimProblem } from './errors.ts';
import { type Listed, type ListRequest, listed } from './lists.ts';
import { applyGroupPatch } from './patch.ts';
import { GROUP_SCHEMA, parsed, scimGroup } from './resources.ts';
import type { GroupRow, ScimStore } from './store.ts';
import { syncMembers } from './users.ts';

export interface ScimGroups {
  list(companyId: string, request: ListRequest, withMembers: boolean): Promise<Listed>;
  get(companyId: string, id: string, withMembers: boolean): Promise<object>;
  create(companyId: string, input: unknown): Promise<{ id: string }>;
  replace(companyId: string, id: string, input: unknown): Promise<object>;
  patch(companyId: string, id: string, input: unknown): Promise<object>;
  remove(companyId: string, id: string): Promise<void>;
}

interface ScimGroupsOptions {
  store: ScimStore;
  memberships: Memberships;
  clock: Clock;
  /** The address of `/scim/v2`. */
  baseUrl: string;
}

const MAX_GROUPS = 1000;
const MAX_ATTRIBUTES_BYTES = 16_000;
/** Members in a response. One group cannot have more, because a company has at most 10,000 users. */
const MAX_SHOWN_MEMBERS = 20_000;
/** Users with their attributes that a change keeps in memory. */
const USERS_AT_ONCE = 500;

type GroupMember = { userId: string; name: string };

/** Groups of companies, as a provider manages them. Each method throws ScimProblem. */
export function createScimGroups({ store, memberships, clock, baseUrl }: ScimGroupsOptions): ScimGroups {
  function resource(row: GroupRow, members: readonly GroupMember[] | undefined) {
    return {
      schemas: [GROUP_SCHEMA],
      ...row.attributes,
      id: row.id,
      ...(members === undefined
        ? {}
        : {
            members: members.map(({ userId, name }) => ({
              value: userId,
              display: name,
              $ref: `${baseUrl}/Users/${userId}`,
            })),
          }),
      meta: {
        resourceType: 'Group',
        created: row.createdAt.toISOString(),
        lastModified: row.updatedAt.toISOString(),
        location: `${baseUrl}/Groups/${row.id}`,
      },
    };
  }

  async function show(from: ScimStore, rows: readonly GroupRow[], withMembers: boolean) {
    const [first] = rows;
    if (first === undefined || !withMembers) return rows.map((row) => resource(row, undefined));
    const ids = rows.map(({ id }) => id);
    const all = await from.membersOf(first.companyId, ids, MAX_SHOWN_MEMBERS + 1);
    if (all.length > MAX_SHOWN_MEMBERS) {
      const detail = `the groups have more than ${MAX_SHOWN_MEMBERS} members. Send a smaller count, or excludedAttributes=members`;
      throw new ScimProblem(400, detail, 'tooMany');
    }
    const members = Map.groupBy(all, ({ groupId }) => groupId);
    return rows.map((row) => resource(row, members.get(row.id) ?? []));
  }

  async function existing(from: ScimStore, companyId: string, id: string): Promise<GroupRow> {
    const row = await from.findGroup(companyId, id);
    if (row === undefined) throw notFound('Group', id);
    return row;
  }

  /** Gives users the roles of their groups. */
  async function sync(within: ScimStore, tx: Tx, companyId: string, userIds: readonly string[]) {
    for (let start = 0; start < userIds.length; start += USERS_AT_ONCE) {
      const users = await within.findUsers(companyId, userIds.slice(start, start + USERS_AT_ONCE));
      await syncMembers({ store: within, memberships, tx }, users);
    }
  }

  /** Stores a group with its members. Returns it as a resource. */
  async function save(
    { within, tx }: { within: ScimStore; tx: Tx },
    { companyId, id, input, before }: { companyId: string; id: string; input: unknown; before?: GroupRow },
  ): Promise<{ id: string }> {
    const { members, schemas: _, meta: __, id: ___, ...attributes } = parsed(scimGroup, input);
    if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_ATTRIBUTES_BYTES) {
      throw new ScimProblem(413, `the group is larger than ${MAX_ATTRIBUTES_BYTES} bytes`);
    }
    const groupName = attributes.displayName.toLowerCase();
    const others = await within.listGroups(companyId, { name: groupName }, '');
    if (others.some((other) => other.id !== id)) {
      throw new ScimProblem(
        409,
        `displayName: another group is named ${attributes.displayName}`,
        'uniqueness',
      );
    }
    const given = new Set((members ?? []).map(({ value }) => value));
    const former = new Set(before === undefined ? [] : await within.memberIds(companyId, id));
    const joined = [...given].filter((userId) => !former.has(userId));
    const left = [...former].filter((userId) => !given.has(userId));
    const known = new Set(await within.findUserIds(companyId, joined));
    const unknown = joined.find((userId) => !known.has(userId));
    if (unknown !== undefined) {
      throw new ScimProblem(400, `members: the company has no user ${unknown}`, 'invalidValue');
    }
    const now = clock.now();
    const row: GroupRow = {
      companyId,
      id,
      groupName,
      externalId: attributes.externalId ?? null,
      attributes,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    await (before === undefined ? within.insertGroup(row) : within.updateGroup(row));
    await within.removeMembers(companyId, id, left);
    await within.addMembers(companyId, id, joined);
    // Roles go by the name of the group, so that a new name changes those of all members.
    const isRenamed = before !== undefined && before.groupName !== groupName;
    await sync(within, tx, companyId, isRenamed ? [...given, ...left] : [...joined, ...left]);
    const [shown] = await show(within, [row], true);
    return shown ?? { id };
  }

  return {
    list: (companyId, request, withMembers) =>
      listed(request, {
        read: (equals, after) =>
          store.listGroups(
            companyId,
            {
              id: equals.get('id'),
              name: equals.get('displayname')?.toLowerCase(),
              externalId: equals.get('externalid'),
            },
            after,
          ),
        count: () => store.countGroups(companyId),
        slice: (offset, limit) => store.listGroups(companyId, {}, '', { offset, limit }),
        match: (row) => resource(row, undefined),
        show: (rows) => show(store, rows, withMembers),
      }),

    async get(companyId, id, withMembers) {
      const [shown] = await show(store, [await existing(store, companyId, id)], withMembers);
      return shown ?? {};
    },

    create: (companyId, input) =>
      store.change(companyId, async (within, tx) => {
        if ((await within.countGroups(companyId)) >= MAX_GROUPS) {
          throw new ScimProblem(409, `the company has ${MAX_GROUPS} groups. Remove some first`);
        }
        return save({ within, tx }, { companyId, id: newId('scg'), input });
      }),

    replace: (companyId, id, input) =>
      store.change(companyId, async (within, tx) => {
        const before = await existing(within, companyId, id);
        return save({ within, tx }, { companyId, id, input, before });
      }),

    patch: (companyId, id, input) =>
      store.change(companyId, async (within, tx) => {
        const before = await existing(within, companyId, id);
        const memberIds = await within.memberIds(companyId, id);
        const patched = applyGroupPatch(before.attributes, memberIds, input);
        return save({ within, tx }, { companyId, id, input: patched, before });
      }),

    remove: (companyId, id) =>
      store.change(companyId, async (within, tx) => {
        await existing(within, companyId, id);
        const former = await within.memberIds(companyId, id);
        await within.removeGroup(companyId, id);
        await sync(within, tx, companyId, former);
      }),
  };
}
