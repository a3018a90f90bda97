import type { Clock, Encryption } from '@switchboard/runtime';
import { hashToken } from '@switchboard/runtime';
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { z } from 'zod';
import type { NewOidcRecord, OidcRecordRow, OidcRecordsStore } from './store.ts';

const payloadOf = z.looseObject({ consumed: z.unknown() }).partial();

interface AdapterOptions {
  store: OidcRecordsStore;
  encryption: Encryption;
  clock: Clock;
}

const KINDS_WITHOUT_END_DAYS = 3_650;
/**
 * A client that lost the answer to a refresh may ask again for 30 seconds (Okta's default), and gets the same
 * successor. As at Auth0, that ends once the successor is used. Everything else is theft and ends the grant.
 */
const REPEAT_MS = 30_000;
const REFRESH_TOKEN = 'RefreshToken';

interface Rotation {
  rotated: { readonly jti: string };
  /** The refresh token that the request answers. */
  successor: { jti: string };
}

/** Returns the refresh tokens of the request that is handled, if it replaces one. */
function currentRotation(): Rotation | undefined {
  const { RotatedRefreshToken: rotated, RefreshToken: successor } = Provider.ctx?.oidc.entities ?? {};
  return rotated === undefined || successor === undefined ? undefined : { rotated, successor };
}

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

    /** Returns the unused successor of a refresh token that was used a moment ago. */
    async function repeated(row: OidcRecordRow | undefined): Promise<AdapterPayload | undefined> {
      const { consumedAt = null, successorHash = null } = row ?? {};
      if (consumedAt === null || successorHash === null) return undefined;
      if (clock.now().getTime() - consumedAt.getTime() > REPEAT_MS) return undefined;
      const successor = await store.find(kind, successorHash);
      return successor?.consumedAt === null ? read(successor) : undefined;
    }

    /** Replaces the refresh token of the request. If another request did, this one answers the same successor. */
    async function rotate({ rotated, successor }: Rotation, row: NewOidcRecord): Promise<void> {
      const hash = hashToken(rotated.jti);
      if (await store.rotate(hash, row, clock.now())) return;
      const stored = await repeated(await store.find(kind, hash));
      if (stored?.jti === undefined) throw new errors.InvalidGrant('already used');
      successor.jti = stored.jti;
    }

    return {
      async upsert(id, payload, expiresIn = KINDS_WITHOUT_END_DAYS * 86_400) {
        const hash = hashToken(id);
        const row = {
          kind,
          hash,
          payload: await encryption.encrypt(JSON.stringify(payload), `${kind} ${hash}`),
          accountId: payload.accountId ?? null,
          // A grant itself is removed by its id.
          grantHash: hashed(payload.grantId),
          uidHash: hashed(payload.uid),
          userCodeHash: hashed(payload.userCode),
          expiresAt: new Date(clock.now().getTime() + expiresIn * 1000),
        };
        const rotation = kind === REFRESH_TOKEN ? currentRotation() : undefined;
        await (rotation === undefined ? store.upsert(row) : rotate(rotation, row));
      },
      async find(id) {
        const row = await store.find(kind, hashToken(id));
        return (await repeated(row)) ?? read(row);
      },
      findByUid: async (uid) => read(await store.findBy(kind, 'uidHash', hashToken(uid))),
      findByUserCode: async (code) => read(await store.findBy(kind, 'userCodeHash', hashToken(code))),
      async consume(id) {
        // `rotate` consumes a refresh token together with storing its successor.
        if (kind === REFRESH_TOKEN) return;
        // If two requests use a code at once, one of them gets tokens.
        if (!(await store.consume(kind, hashToken(id), clock.now())))
          throw new errors.InvalidGrant('already used');
      },
      destroy: (id) => store.remove(kind, hashToken(id)),
      revokeByGrantId: (grantId) => store.removeGrant(hashToken(grantId)),
    };
  };
}
