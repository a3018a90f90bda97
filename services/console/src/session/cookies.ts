import type { Clock, Encryption } from '@switchboard/runtime';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { z } from 'zod';
import type { Attempt } from './provider.ts';

/** The session of a deployment without TLS. Cookies are not divided by port, and identity has a `switchboard_session`. */
const SESSION_COOKIE = 'switchboard_console';
const ATTEMPT = 'switchboard_console_sign_in';
const OPERATOR = 'switchboard_operator';
const ATTEMPT_SECONDS = 600;
const SESSION_SECONDS = 30 * 86_400;

const attempt = z.object({ verifier: z.string(), state: z.string(), nonce: z.string(), to: z.string() });

/** The encrypted cookies of the console: the session's refresh token, a sign-in in progress, and the mark of an operator. */
export interface Cookies {
  session(c: Context): Promise<string | undefined>;
  keepSession(c: Context, refreshToken: string): Promise<void>;
  dropSession(c: Context): void;
  /** Whether the last access token of this browser was an operator's, and is still valid. */
  isOperator(c: Context): Promise<boolean>;
  keepOperator(c: Context, seconds: number): Promise<void>;
  dropOperator(c: Context): void;
  attempt(c: Context): Promise<Attempt | undefined>;
  keepAttempt(c: Context, attempt: Attempt): Promise<void>;
}

/** Whether the request has the cookie of a session, of a deployment with or without TLS. */
export const hasSessionCookie = (c: Context): boolean =>
  [SESSION_COOKIE, `__Host-${SESSION_COOKIE}`].some((name) => getCookie(c, name) !== undefined);

interface CookieSettings {
  /** Whether the console is served over TLS. */
  isSecure: boolean;
  clock: Clock;
}

/** With TLS, names get the prefix `__Host-`, so that no other host of the domain can set them. */
export function createCookies(encryption: Encryption, { isSecure, clock }: CookieSettings): Cookies {
  const name = (of: string) => (isSecure ? `__Host-${of}` : of);
  const common = { path: '/', httpOnly: true, secure: isSecure } satisfies CookieOptions;
  const read = async (c: Context, of: string) => {
    const value = getCookie(c, name(of));
    return value === undefined ? undefined : await encryption.decrypt(value, of).catch(() => undefined);
  };
  return {
    session: (c) => read(c, SESSION_COOKIE),
    async keepSession(c, refreshToken) {
      setCookie(c, name(SESSION_COOKIE), await encryption.encrypt(refreshToken, SESSION_COOKIE), {
        ...common,
        sameSite: 'Strict',
        maxAge: SESSION_SECONDS,
      });
    },
    dropSession: (c) => void deleteCookie(c, name(SESSION_COOKIE), common),
    async isOperator(c) {
      const until = await read(c, OPERATOR);
      return until !== undefined && Number(until) > clock.now().getTime();
    },
    async keepOperator(c, seconds) {
      const until = String(clock.now().getTime() + seconds * 1000);
      setCookie(c, name(OPERATOR), await encryption.encrypt(until, OPERATOR), {
        ...common,
        sameSite: 'Strict',
        maxAge: seconds,
      });
    },
    dropOperator(c) {
      if (getCookie(c, name(OPERATOR)) !== undefined) deleteCookie(c, name(OPERATOR), common);
    },
    async attempt(c) {
      const text = await read(c, ATTEMPT);
      deleteCookie(c, name(ATTEMPT), common);
      if (text === undefined) return undefined;
      return attempt.parse(JSON.parse(text));
    },
    async keepAttempt(c, started) {
      // The provider sends the person back from its own site.
      setCookie(c, name(ATTEMPT), await encryption.encrypt(JSON.stringify(started), ATTEMPT), {
        ...common,
        sameSite: 'Lax',
        maxAge: ATTEMPT_SECONDS,
      });
    },
  };
}
