import { SCIM_TOKENS_MAX_COUNT } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import { type Clock, hashToken, newToken } from '@switchboard/runtime';
import type { ScimStore } from './store.ts';

/** A token without its value. */
export interface ScimToken {
  id: string;
  name: string;
  createdAt: string;
}

export interface ScimTokens {
  /** Returns the company of a token; undefined for an unknown one. */
  companyOf(token: string): Promise<string | undefined>;
  list(companyId: string): Promise<ScimToken[]>;
  /** Returns a new token with its value, which is shown once. Returns undefined if the company has the maximum. */
  create(companyId: string, name: string): Promise<(ScimToken & { token: string }) | undefined>;
  remove(companyId: string, id: string): Promise<void>;
}

const PREFIX = 'scim_';

/** Tokens with which the providers of companies manage users and groups. Stored as hashes. */
export function createScimTokens({ store, clock }: { store: ScimStore; clock: Clock }): ScimTokens {
  return {
    companyOf: async (token) =>
      token.startsWith(PREFIX) && token.length < 100 ? store.companyOf(hashToken(token)) : undefined,
    async list(companyId) {
      const rows = await store.listTokens(companyId);
      return rows.map(({ id, name, createdAt }) => ({ id, name, createdAt: createdAt.toISOString() }));
    },
    create: (companyId, name) =>
      store.change(companyId, async (within) => {
        if ((await within.listTokens(companyId)).length >= SCIM_TOKENS_MAX_COUNT) return undefined;
        const token = `${PREFIX}${newToken()}`;
        const row = { id: newId('sct'), companyId, name, createdAt: clock.now() };
        await within.insertToken({ ...row, hash: hashToken(token) });
        return { id: row.id, name, createdAt: row.createdAt.toISOString(), token };
      }),
    async remove(companyId, id) {
      await store.removeToken(companyId, id);
    },
  };
}
