import { newId, type Tx } from '@switchboard/database';
import { createFairQueue } from '@switchboard/fairness';
import type { Clock } from '@switchboard/runtime';
import { z } from 'zod';
import { createPasswordCheck, hashPassword, isPassword, type WeakPassword } from './password.ts';
import { type AccountRow, type AccountsStore, createAccountsStore } from './store.ts';

const MAX_NAME = 100;
/** An e-mail address from a form, in lower case. */
export const emailAddress = z.string().trim().toLowerCase().max(254).pipe(z.email());

/** The reason why an account cannot be created. */
export type AccountProblem = 'invalidName' | 'invalidEmail' | WeakPassword;

/** The fields of a new account, from a form. An empty password means none. */
export interface NewAccount {
  email: string;
  name: string;
  password: string;
  permissions: string[];
}

/** A person of a demo. */
export interface DemoPerson {
  id: string;
  email: string;
  name: string;
  permissions: string[];
}

export interface Accounts {
  find(id: string): Promise<AccountRow | undefined>;
  /** Returns the account of an address that may be written in another case. */
  findByEmail(address: string): Promise<AccountRow | undefined>;
  /** Notes that the person of the account has used it. */
  noteUse(id: string): Promise<void>;
  /** Removes an account that a provider created and its person never used, with the transaction. */
  removeUnused(tx: Tx, id: string): Promise<void>;
  /** Returns false if another account has the address. */
  changeEmail(id: string, email: string): Promise<boolean>;
  isEmpty(): Promise<boolean>;
  /** Creates an account, or returns the problem. An account with the address is returned as it is. */
  create(account: NewAccount, tx?: Tx): Promise<AccountRow | AccountProblem>;
  /** Adds the accounts of a demo that do not exist yet. */
  add(people: readonly DemoPerson[]): Promise<void>;
  /** Creates an account if there is none at all. Of two callers at once, one creates it. */
  createFirst(account: NewAccount): Promise<AccountRow | AccountProblem | 'expired'>;
  /**
   * Returns the account if the password is right. Takes the same time for every address. Browsers that have signed in
   * to the account before take turns with all others together, so that guesses do not delay them.
   */
  verifyPassword(
    address: string,
    password: string,
    device: string | undefined,
  ): Promise<AccountRow | undefined>;
  /** Returns the problem of the password, or stores it. */
  setPassword(account: AccountRow, password: string): Promise<WeakPassword | undefined>;
}

/** Leaves threads of libuv's pool to other work, and bounds the memory of hashes. */
const HASHES_AT_ONCE = 2;
/** Leaves one of them to known devices while unknown ones guess. */
const HASHES_OF_A_KEY = 1;
const UNKNOWN_DEVICES = 'unknown';

export function createAccounts({ store, clock }: { store: AccountsStore; clock: Clock }): Accounts {
  const hashing = createFairQueue(HASHES_AT_ONCE, HASHES_OF_A_KEY);
  const weaknessOf = createPasswordCheck();

  const findByEmail = async (address: string) => {
    const parsed = emailAddress.safeParse(address);
    return parsed.success ? store.findByEmail(parsed.data) : undefined;
  };

  async function create(
    { email: address, name, password, permissions }: NewAccount,
    on: AccountsStore,
  ): Promise<AccountRow | AccountProblem> {
    const parsed = emailAddress.safeParse(address);
    if (!parsed.success) return 'invalidEmail';
    const shown = name.trim();
    if (shown === '' || [...shown].length > MAX_NAME || shown.includes('\0')) return 'invalidName';
    const weakness = password === '' ? undefined : weaknessOf(password, [parsed.data, shown]);
    if (weakness !== undefined) return weakness;
    const row = { id: newId('usr'), email: parsed.data, name: shown, permissions };
    const stored = await on.insert(row);
    const account = stored ?? (await on.findByEmail(parsed.data));
    if (account === undefined) throw new Error('the account was removed while it was created');
    if (stored !== undefined && password !== '')
      await on.setPassword(stored.id, await hashing(stored.id, () => hashPassword(password)));
    return account;
  }

  return {
    find: (id) => store.find(id),
    findByEmail,
    noteUse: (id) => store.noteUse(id, clock.now()),
    removeUnused: (tx, id) => createAccountsStore(tx).removeUnused(id),
    changeEmail: (id, address) => store.changeEmail(id, address),
    isEmpty: () => store.isEmpty(),

    create: (account, tx) => create(account, tx === undefined ? store : createAccountsStore(tx)),
    async add(people) {
      for (const person of people) await store.insert(person);
    },
    createFirst: (account) =>
      store.whileEmpty(async (locked) => create(account, locked)).then((created) => created ?? 'expired'),

    async verifyPassword(address, password, device = UNKNOWN_DEVICES) {
      const account = await findByEmail(address);
      const isRight = await hashing(device, () => isPassword(password, account?.password ?? null));
      return isRight ? account : undefined;
    },

    async setPassword({ id, email: address, name }, password) {
      const weakness = weaknessOf(password, [address, name]);
      if (weakness === undefined)
        await store.setPassword(id, await hashing(id, () => hashPassword(password)));
      return weakness;
    },
  };
}
