import type {
  ApiToken,
  ApiTokenDefinition,
  ApiTokenRotation,
  NewApiToken,
  Permission,
} from '@switchboard/contracts';
import { type Db, newId } from '@switchboard/database';
import { type AuditedChange, BadRequest, Conflict, Forbidden, NotFound } from '@switchboard/http';
import { type Clock, hashToken, newApiToken } from '@switchboard/runtime';
import { type Companies, companyNotFound } from '../companies/companies.ts';
import { createCompaniesStore } from '../companies/store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { tokenRecord, tokenTombstones } from '../records/tokens.ts';
import { type ApiTokenRow, createTokensStore, type TokenSelection } from './store.ts';

const DAY_MS = 86_400_000;
const MAX_OF_PERSON = 50;
const MAX_OF_COMPANY = 200;
/** How long an expired token stays listed, so that its owner can see why something stopped working. */
const LISTED_AFTER_EXPIRY_MS = 30 * DAY_MS;

/** The person who makes a request about a company's tokens. */
export interface TokenCaller {
  sub: string;
  /** The expiry of the token that authenticates the request. Undefined for an access token. */
  expiresAt: Date | undefined;
  /** Whether the caller may manage service tokens and revoke the tokens of all members. */
  isAdmin: boolean;
  /** Throws Forbidden unless the caller has the permission. */
  require(permission: Permission): Promise<void>;
}

/** Personal access tokens and service tokens of companies. */
export interface Tokens {
  /**
   * Returns the caller's own tokens, or all tokens for an admin. Throws NotFound when the company does not exist.
   */
  list(
    companyId: string,
    selection: TokenSelection,
  ): Promise<{ tokens: ApiToken[]; nextCursor: string | null }>;
  /**
   * Throws Forbidden for a permission that the caller does not have, and Conflict when the maximum number of
   * tokens is reached. Throws BadRequest for a lifetime that is too long, for projects of other companies, and for
   * a personal token of a person who is not a member.
   */
  create(
    change: AuditedChange,
    companyId: string,
    definition: ApiTokenDefinition,
    caller: TokenCaller,
  ): Promise<NewApiToken>;
  /** Throws NotFound, or Forbidden for a token with more permissions than the caller. */
  rotate(
    change: AuditedChange,
    companyId: string,
    id: string,
    rotation: ApiTokenRotation,
    caller: TokenCaller,
  ): Promise<NewApiToken>;
  /** Throws NotFound for a token that the caller may not see. */
  revoke(change: AuditedChange, companyId: string, id: string, caller: TokenCaller): Promise<void>;
}

interface TokensOptions {
  db: Db;
  outbox: Outbox;
  companies: Pick<Companies, 'get'>;
  clock: Clock;
  /** The maximum lifetime of a value, in days. */
  maxDays: number;
}

export function createTokens({ db, outbox, companies, clock, maxDays }: TokensOptions): Tokens {
  const store = createTokensStore(db);

  function expiryOf(days: number, caller: TokenCaller): Date {
    if (days > maxDays)
      throw new BadRequest(`expiresInDays: more than ${maxDays}, the maximum of this deployment`);
    const expiry = new Date(clock.now().getTime() + days * DAY_MS);
    return caller.expiresAt !== undefined && caller.expiresAt < expiry ? caller.expiresAt : expiry;
  }

  return {
    async list(companyId, selection) {
      await companies.get(companyId);
      const { rows, nextCursor } = await store.list(companyId, selection);
      return { tokens: rows.map(present), nextCursor };
    },

    async create(change, companyId, { name, kind, permissions, projectIds, expiresInDays }, caller) {
      if (kind === 'service') await caller.require('tokens.write');
      const carried = [...new Set(permissions)];
      for (const permission of carried) await caller.require(permission);
      const expiresAt = expiryOf(expiresInDays, caller);
      const id = newId('tok');
      const sub = kind === 'personal' ? caller.sub : null;
      const value = newApiToken(kind, id);
      const row = await outbox.change(change, async (tx, announce) => {
        const own = createTokensStore(tx);
        // Locks the company, so that no concurrent request counts its tokens and the member does not leave.
        if (!(await createCompaniesStore(tx).lock(companyId))) throw companyNotFound();
        if (sub !== null && !(await own.isMember(companyId, sub))) {
          throw new BadRequest(
            'kind: a personal token needs your role in the company, and you are not a member of it; create a service token',
          );
        }
        announce(tokenTombstones(await own.removeExpired(companyId, longAgo(clock))));
        if (projectIds !== null) {
          const known = await own.projectsOf(companyId, projectIds);
          const unknown = projectIds.find((projectId) => !known.has(projectId));
          if (unknown !== undefined)
            throw new BadRequest(`projectIds: ${unknown} is not a project of the company`);
        }
        const most = sub === null ? MAX_OF_COMPANY : MAX_OF_PERSON;
        if ((await own.count(companyId, kind, sub)) >= most) {
          const owner = sub === null ? 'The company has' : 'You have';
          throw new Conflict(`${owner} ${most} ${kind} tokens here. Revoke one first.`);
        }
        const stored = await own.insert({
          id,
          companyId,
          kind,
          name,
          sub,
          createdBy: caller.sub,
          permissions: JSON.stringify(carried),
          projectIds: projectIds === null ? null : JSON.stringify([...new Set(projectIds)]),
          hash: hashToken(value),
          expiresAt,
        });
        if (stored === undefined) throw new Error('the token was not stored');
        change.describe({ object: `token:${id}`, after: { kind, permissions: carried, projectIds } });
        announce([tokenRecord(stored)]);
        return stored;
      });
      return { ...present(row), token: value };
    },

    async rotate(change, companyId, id, { expiresInDays, overlapSeconds }, caller) {
      const expiresAt = expiryOf(expiresInDays, caller);
      const found = await store.find(id);
      if (found?.companyId !== companyId || !isReachable(found, caller)) throw tokenNotFound();
      if (found.kind === 'service') await caller.require('tokens.write');
      else if (found.sub !== caller.sub) {
        throw new Forbidden('Only its owner can rotate a personal token. You can revoke it.');
      }
      // The new value grants its holder all permissions of the token.
      for (const permission of permissionsOf(found)) await caller.require(permission);
      const value = newApiToken(found.kind, id);
      const row = await outbox.change(change, async (tx, announce) => {
        const own = createTokensStore(tx);
        const before = await own.lock(companyId, id);
        if (before === undefined) throw tokenNotFound();
        const now = clock.now();
        const overlapEnd = new Date(now.getTime() + overlapSeconds * 1_000);
        const stored = await own.rotate(id, {
          hash: hashToken(value),
          previousHash: overlapSeconds === 0 ? null : before.hash,
          previousUntil:
            overlapSeconds === 0 ? null : overlapEnd < before.expiresAt ? overlapEnd : before.expiresAt,
          rotatedAt: now,
          rotatedBy: caller.sub,
          expiresAt,
        });
        if (stored === undefined) throw tokenNotFound();
        announce([tokenRecord(stored)]);
        return stored;
      });
      return { ...present(row), token: value };
    },

    async revoke(change, companyId, id, caller) {
      await outbox.change(change, async (tx, announce) => {
        const own = createTokensStore(tx);
        const row = await own.lock(companyId, id);
        if (row === undefined && caller.isAdmin) return;
        if (row === undefined || !isReachable(row, caller)) throw tokenNotFound();
        await own.remove(id);
        announce(tokenTombstones([id]));
      });
    },
  };
}

/** Whether the caller may see the token. Only admins see the tokens of others. */
const isReachable = ({ sub }: ApiTokenRow, caller: TokenCaller) => sub === caller.sub || caller.isAdmin;

const longAgo = (clock: Clock) => new Date(clock.now().getTime() - LISTED_AFTER_EXPIRY_MS);

const tokenNotFound = () => new NotFound('Token not found.');

function permissionsOf({ permissions }: ApiTokenRow): Permission[] {
  return JSON.parse(permissions);
}

function present(row: ApiTokenRow): ApiToken {
  const { id, kind, name, sub, createdBy } = row;
  return {
    id,
    kind,
    name,
    sub,
    createdBy,
    permissions: permissionsOf(row),
    projectIds: row.projectIds === null ? null : JSON.parse(row.projectIds),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    rotatedAt: row.rotatedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}
