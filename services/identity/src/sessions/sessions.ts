import { newId } from '@switchboard/database';
import { type Clock, hashToken, newToken } from '@switchboard/runtime';
import type { SessionRow, SessionsStore } from './store.ts';

/** Days after which a person signs in again. */
export const SESSION_DAYS = 14;
const DAY_MS = 86_400_000;
const MAX_AGENT = 200;

export interface SessionStart {
  accountId: string;
  /** RFC 8176 values, such as `pwd`, `otp` or `hwk`. */
  methods: string[];
  agent: string;
  address: string;
}

export interface Sessions {
  /** Starts a session and returns the value of its cookie. */
  start(start: SessionStart): Promise<string>;
  /** Returns the session of a cookie, unless the account must sign in in another way by now. */
  find(cookie: string | undefined): Promise<SessionRow | undefined>;
  list(accountId: string): Promise<SessionRow[]>;
  end(cookie: string | undefined): Promise<void>;
  endById(accountId: string, id: string): Promise<void>;
  /** Ends the other sessions of the account, and the tokens of every application. */
  endOthers(accountId: string, id: string): Promise<void>;
  /** Ends every session of the account, and with them the tokens of every application. */
  endAll(accountId: string): Promise<void>;
}

interface SessionsOptions {
  store: SessionsStore;
  /** Removes the grants and refresh tokens of an account. */
  revoke(accountId: string): Promise<void>;
  /** Whether these methods still open the account. */
  isAllowed(session: Pick<SessionRow, 'accountId' | 'methods'>): Promise<boolean>;
  clock: Clock;
}

export function createSessions({ store, revoke, isAllowed, clock }: SessionsOptions): Sessions {
  return {
    async start({ accountId, methods, agent, address }) {
      const cookie = newToken();
      const createdAt = clock.now();
      await store.insert({
        hash: hashToken(cookie),
        id: newId('ses'),
        accountId,
        methods,
        agent: agent.slice(0, MAX_AGENT),
        address,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + SESSION_DAYS * DAY_MS),
      });
      return cookie;
    },
    async find(cookie) {
      const session = cookie === undefined ? undefined : await store.find(hashToken(cookie), clock.now());
      return session !== undefined && (await isAllowed(session)) ? session : undefined;
    },
    list: (accountId) => store.list(accountId, clock.now()),
    end: async (cookie) => (cookie === undefined ? undefined : store.remove(hashToken(cookie))),
    async endById(accountId, id) {
      await store.removeById(accountId, id);
      await revoke(accountId);
    },
    async endOthers(accountId, id) {
      await store.removeOthers(accountId, id);
      await revoke(accountId);
    },
    async endAll(accountId) {
      await store.removeAll(accountId);
      await revoke(accountId);
    },
  };
}
