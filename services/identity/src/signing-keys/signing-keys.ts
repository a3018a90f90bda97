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

export interface NewestKey {
  id: string;
  signsFrom: Date;
}

export interface SigningKeys {
  /** Creates a key if there is none or the newest is too old. Removes keys that verify no valid token. */
  rotate(): Promise<void>;
  /**
   * Creates a key before it is due, unless the newest one does not sign yet. With `revoke`, removes all others, so
   * that the new key signs at once.
   */
  renew(revoke: boolean): Promise<NewestKey>;
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
      await store.change(async (within) => {
        const newest = (await within.list()).at(-1);
        if (newest === undefined || ageOf(newest) >= ROTATION_DAYS * DAY_MS)
          await within.insert(await create());
      });
      const keys = await store.list();
      const signing = signingOf(keys, ageOf);
      if (signing === undefined || ageOf(signing) < LEAD_MS + KEPT_MS) return;
      const older = keys.slice(0, keys.indexOf(signing));
      await store.remove(older.map(({ id }) => id));
    },

    renew: (revoke) =>
      store.change(async (within) => {
        const existing = await within.list();
        const newest = existing.at(-1);
        if (revoke) await within.remove(existing.map(({ id }) => id));
        const isDue = revoke || newest === undefined || ageOf(newest) >= LEAD_MS;
        const key = isDue ? await create() : newest;
        if (isDue) await within.insert(key);
        const signsAtOnce = signingOf(await within.list(), ageOf)?.id === key.id;
        return {
          id: key.id,
          signsFrom: signsAtOnce ? key.createdAt : new Date(key.createdAt.getTime() + LEAD_MS),
        };
      }),

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
