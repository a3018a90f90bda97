import type { Clock, Encryption } from '@switchboard/runtime';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { z } from 'zod';
import type { SigningKeyRow, SigningKeysStore } from './store.ts';

const DAY_MS = 86_400_000;
/** Days after which a new key is created. */
const ROTATION_DAYS = 90;
/** Services read a new key before it signs: they fetch keys every ten minutes. */
const LEAD_MS = 3_600_000;
/** The time for which a key that no longer signs verifies. Access tokens expire much earlier. */
const KEPT_MS = DAY_MS;
const ALGORITHM = 'RS256';

const jwk = z.looseObject({ kty: z.string() });

export interface SigningKeys {
  /** Creates a key if there is none or the newest is too old. Removes keys that verify no valid token. */
  rotate(): Promise<void>;
  /** Returns the private keys, the one that signs first. */
  read(): Promise<JWK[]>;
}

interface SigningKeysOptions {
  store: SigningKeysStore;
  encryption: Encryption;
  clock: Clock;
}

export function createSigningKeys({ store, encryption, clock }: SigningKeysOptions): SigningKeys {
  const ageOf = ({ createdAt }: SigningKeyRow) => clock.now().getTime() - createdAt.getTime();

  async function create(): Promise<SigningKeyRow> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const id = crypto.randomUUID();
    const text = JSON.stringify({ ...(await exportJWK(privateKey)), kid: id, alg: ALGORITHM, use: 'sig' });
    return { id, key: await encryption.encrypt(text, id), createdAt: clock.now() };
  }

  return {
    async rotate() {
      await store.add(async (existing) => {
        const newest = existing.at(-1);
        return newest === undefined || ageOf(newest) >= ROTATION_DAYS * DAY_MS ? create() : undefined;
      });
      const keys = await store.list();
      const signing = signingOf(keys, ageOf);
      if (signing === undefined || ageOf(signing) < LEAD_MS + KEPT_MS) return;
      const older = keys.slice(0, keys.indexOf(signing));
      await store.remove(older.map(({ id }) => id));
    },

    async read() {
      const keys = await store.list();
      const signing = signingOf(keys, ageOf);
      const inOrder = [...keys.filter((key) => key === signing), ...keys.filter((key) => key !== signing)];
      return Promise.all(
        inOrder.map(async ({ id, key }) => jwk.parse(JSON.parse(await encryption.decrypt(key, id)))),
      );
    },
  };
}

/** Returns the newest key that every service knows; without one, the oldest. */
const signingOf = (keys: SigningKeyRow[], ageOf: (key: SigningKeyRow) => number) =>
  keys.findLast((key) => ageOf(key) >= LEAD_MS) ?? keys[0];
