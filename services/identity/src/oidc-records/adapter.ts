import type { Clock, Encryption } from '@switchboard/runtime';
import { hashToken } from '@switchboard/runtime';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { z } from 'zod';
import type { OidcRecordRow, OidcRecordsStore } from './store.ts';

const payloadOf = z.looseObject({ consumed: z.unknown() }).partial();

interface AdapterOptions {
  store: OidcRecordsStore;
  encryption: Encryption;
  clock: Clock;
}

const KINDS_WITHOUT_END_DAYS = 3_650;

/** Keeps the state of the OpenID provider in the service's database: ids as hashes, payloads encrypted. */
export function createAdapter({ store, encryption, clock }: AdapterOptions) {
  const hashed = (text: string | undefined) => (text === undefined ? null : hashToken(text));

  return (kind: string): Adapter => {
    async function read(row: OidcRecordRow | undefined): Promise<AdapterPayload | undefined> {
      if (row === undefined || row.expiresAt <= clock.now()) return undefined;
      const payload = payloadOf.parse(
        JSON.parse(await encryption.decrypt(row.payload, `${kind} ${row.hash}`)),
      );
      if (row.consumedAt === null) return payload;
      return { ...payload, consumed: Math.floor(row.consumedAt.getTime() / 1000) };
    }

    return {
      async upsert(id, payload, expiresIn = KINDS_WITHOUT_END_DAYS * 86_400) {
        const hash = hashToken(id);
        await store.upsert({
          kind,
          hash,
          payload: await encryption.encrypt(JSON.stringify(payload), `${kind} ${hash}`),
          accountId: payload.accountId ?? null,
          // A grant itself is removed by its id.
          grantHash: hashed(payload.grantId),
          uidHash: hashed(payload.uid),
          userCodeHash: hashed(payload.userCode),
          expiresAt: new Date(clock.now().getTime() + expiresIn * 1000),
        });
      },
      find: async (id) => read(await store.find(kind, hashToken(id))),
      findByUid: async (uid) => read(await store.findBy(kind, 'uidHash', hashToken(uid))),
      findByUserCode: async (code) => read(await store.findBy(kind, 'userCodeHash', hashToken(code))),
      async consume(id) {
        // If two requests use a code or refresh token at once, one of them gets tokens.
        if (!(await store.consume(kind, hashToken(id), clock.now())))
          throw new errors.InvalidGrant('already used');
      },
      destroy: (id) => store.remove(kind, hashToken(id)),
      revokeByGrantId: (grantId) => store.removeGrant(hashToken(grantId)),
    };
  };
}
