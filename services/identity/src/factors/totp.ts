import { randomBytes } from 'node:crypto';
import { type Clock, type Encryption, hashToken } from '@switchboard/runtime';
import { Secret, TOTP } from 'otpauth';
import type { AccountRow, AccountsStore } from '../accounts/store.ts';

const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

export interface Totp {
  /** Returns a new secret, as base32, and its otpauth: URL. */
  create(email: string): { secret: string; url: string };
  /** Returns a secret with its otpauth: URL. */
  restore(secret: string, email: string): { secret: string; url: string };
  /** Turns the factor on if the code is right. Returns recovery codes, or undefined for a wrong code. */
  turnOn(accountId: string, secret: string, code: string): Promise<string[] | undefined>;
  turnOff(accountId: string): Promise<void>;
  /** Uses up a code of the app or a recovery code. Returns the method, or undefined for a wrong or used code. */
  take(account: AccountRow, code: string): Promise<'otp' | 'recovery' | undefined>;
}

interface TotpOptions {
  store: AccountsStore;
  encryption: Encryption;
  clock: Clock;
}

const totpOf = (secret: string, label?: string) =>
  new TOTP({
    issuer: 'Switchboard',
    label: label ?? 'account',
    secret: Secret.fromBase32(secret),
    period: PERIOD_SECONDS,
  });

const contextOf = (accountId: string) => `totp ${accountId}`;
const normal = (code: string) => code.replaceAll(/[\s-]/g, '').toLowerCase();

/** Creates the second factor of passwords: codes of an authenticator app (RFC 6238), and recovery codes. */
export function createTotp({ store, encryption, clock }: TotpOptions): Totp {
  /** Returns the time step of a right code: the current one or a neighbour, for a clock that is slow or fast. */
  function stepOf(secret: string, token: string): number | undefined {
    const timestamp = clock.now().getTime();
    const delta = totpOf(secret).validate({ token, timestamp, window: 1 });
    return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
  }

  const restore = (secret: string, email: string) => ({ secret, url: totpOf(secret, email).toString() });

  return {
    create: (email) => restore(new Secret({ size: SECRET_BYTES }).base32, email),
    restore,

    async turnOn(accountId, secret, code) {
      const step = stepOf(secret, normal(code));
      if (step === undefined || !(await store.takeTotpStep(accountId, step))) return undefined;
      const codes = Array.from({ length: RECOVERY_CODES }, () =>
        randomBytes(RECOVERY_BYTES)
          .toString('hex')
          .replaceAll(/(.{5})(?=.)/g, '$1-'),
      );
      await store.replaceRecoveryCodes(
        accountId,
        codes.map((one) => hashToken(normal(one))),
      );
      await store.setTotp(accountId, await encryption.encrypt(secret, contextOf(accountId)));
      return codes;
    },

    async turnOff(accountId) {
      await store.setTotp(accountId, null);
      await store.replaceRecoveryCodes(accountId, []);
    },

    async take({ id, totpSecret }, code) {
      if (totpSecret === null) return undefined;
      const given = normal(code);
      if (given.length > 6)
        return (await store.takeRecoveryCode(id, hashToken(given))) ? 'recovery' : undefined;
      const step = stepOf(await encryption.decrypt(totpSecret, contextOf(id)), given);
      if (step === undefined) return undefined;
      return (await store.takeTotpStep(id, step)) ? 'otp' : undefined;
    },
  };
}
