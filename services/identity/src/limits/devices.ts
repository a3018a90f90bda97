import { type Encryption, hashToken, newToken } from '@switchboard/runtime';

/** Browsers that have signed in to an account before. Attempts elsewhere do not use up theirs. */
export interface Devices {
  /** Returns the value of the cookie of a browser that signed in to the account with this address. */
  issue(email: string): Promise<string>;
  /** Returns the id of the browser; undefined if it has not signed in to the account with this address. */
  idOf(cookie: string | undefined, email: string): Promise<string | undefined>;
}

/** A hash, because the cookie shows the context. */
const contextOf = (email: string) => `device ${hashToken(email)}`;
const MAX_COOKIE = 500;

export function createDevices({ encrypt, decrypt }: Encryption): Devices {
  return {
    issue: (email) => encrypt(newToken(), contextOf(email)),
    idOf: async (cookie, email) =>
      cookie === undefined || cookie.length > MAX_COOKIE
        ? undefined
        : decrypt(cookie, contextOf(email)).catch(() => undefined),
  };
}
