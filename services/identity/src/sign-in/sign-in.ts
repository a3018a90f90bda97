import { z } from 'zod';
import type { Accounts } from '../accounts/accounts.ts';
import type { Totp } from '../factors/totp.ts';
import type { Devices } from '../limits/devices.ts';
import type { Limits } from '../limits/limits.ts';
import type { Tickets } from '../tickets/tickets.ts';
import type { Trail } from '../trail/trail.ts';

/** The request that a person signs in with. */
export interface Caller {
  address: string;
  requestId: string;
  /** The cookie of a browser that has signed in before. */
  device?: string | undefined;
}

/** A sign-in that is complete, needs a code, or failed. */
export type SignInResult =
  | { kind: 'done'; accountId: string; methods: string[] }
  | { kind: 'needsCode'; ticket: string }
  | { kind: 'failed' };

export interface SignIn {
  withPassword(caller: Caller, email: string, password: string): Promise<SignInResult>;
  /** Completes a sign-in that needs a code. A wrong code fails, and the ticket stays valid. */
  withCode(caller: Caller, ticket: string, code: string): Promise<SignInResult>;
}

/** A password was right, and a code is missing. */
const SECOND_FACTOR = { name: 'second-factor', minutes: 10, data: z.object({}) };
const FAILED = { kind: 'failed' } as const;

interface SignInOptions {
  accounts: Accounts;
  totp: Totp;
  limits: Limits;
  tickets: Tickets;
  trail: Trail;
  devices: Devices;
}

export function createSignIn({ accounts, totp, limits, tickets, trail, devices }: SignInOptions): SignIn {
  return {
    async withPassword({ device, ...caller }, email, password) {
      const name = email.trim().toLowerCase();
      const knownDevice = await devices.idOf(device, name);
      await limits.guessPassword(caller.address, name, knownDevice);
      const account = await accounts.verifyPassword(email, password, knownDevice);
      if (account === undefined) {
        // The trail names the account. The response is the same with and without one.
        const known = await accounts.findByEmail(email);
        await trail.record({ action: 'signIn', accountId: known?.id ?? null, outcome: 'refused', ...caller });
        return FAILED;
      }
      if (account.totpSecret === null) return { kind: 'done', accountId: account.id, methods: ['pwd'] };
      return {
        kind: 'needsCode',
        ticket: await tickets.issue(SECOND_FACTOR, { accountId: account.id, data: {} }),
      };
    },

    async withCode(caller, ticket, code) {
      const found = await tickets.look(SECOND_FACTOR, ticket);
      const account = await accounts.find(found?.accountId ?? '');
      if (account === undefined) return FAILED;
      await limits.guessCode(caller.address, account.id);
      const method = await totp.take(account, code);
      if (method === undefined) {
        await trail.record({ action: 'signIn', accountId: account.id, outcome: 'refused', ...caller });
        return FAILED;
      }
      if ((await tickets.take(SECOND_FACTOR, ticket)) === undefined) return FAILED;
      return { kind: 'done', accountId: account.id, methods: ['pwd', method, 'mfa'] };
    },
  };
}
