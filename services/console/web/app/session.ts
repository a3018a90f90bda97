import { endPushes } from '../push/browser.ts';
import { t } from './i18n.ts';
import { note } from './state.ts';

/** The page that says that the person signed out. */
export const SIGNED_OUT = '/signed-out';

/** The public addresses of the deployment. */
export interface Hosts {
  api: string;
  events: string;
  replay: string;
}

interface Session {
  token: string;
  expiresAt: number;
  /** The email address of the person, unless the identity provider withholds it. */
  email: string | undefined;
  hosts: Hosts;
  /** Whether the pages of operators are open to the person. */
  isOperator: boolean;
}

/** Thrown when the person is not signed in (any more). */
export class SignedOut extends Error {
  override name = 'SignedOut';
}

/** A token is replaced this long before it expires. */
const EARLY_MS = 30_000;

let session: Session | undefined;
let pending: Promise<Session> | undefined;

/** Returns the access token and the deployment's addresses. Throws SignedOut. */
export function getSession(): Promise<Session> {
  if (session !== undefined && isFresh(session)) return Promise.resolve(session);
  pending ??= renew().finally(() => {
    pending = undefined;
  });
  return pending;
}

/** The channel between the tabs of a browser: a new token, or null for a sign-out. */
const tabs = new BroadcastChannel('session');
tabs.onmessage = ({ data }: MessageEvent<Session | null>) => {
  if (data === null) location.replace(SIGNED_OUT);
  else keep(data);
};

/** Renews the token. Tabs take turns, and those that waited use the token of the first. */
async function renew(): Promise<Session> {
  return await navigator.locks.request('session', async () => {
    if (session !== undefined && isFresh(session)) return session;
    const response = await fetch('/session/token', { method: 'POST' });
    if (response.status === 401) {
      note({ isSignedOut: true });
      throw new SignedOut(t('The session has ended. Sign in again.'));
    }
    if (!response.ok) throw new Error(`Signing in failed with status ${response.status}. Try again.`);
    const { accessToken, expiresInSeconds, email, hosts, isOperator } = await response.json();
    const expiresAt = Date.now() + expiresInSeconds * 1000;
    const renewed = { token: accessToken, expiresAt, email, hosts, isOperator: isOperator === true };
    keep(renewed);
    tabs.postMessage(renewed);
    return renewed;
  });
}

const isFresh = ({ expiresAt }: Session) => Date.now() < expiresAt - EARLY_MS;

function keep(renewed: Session): void {
  session = renewed;
  note({ isSignedOut: false });
}

/** Makes the next call renew the token. */
export function forgetToken(): void {
  session = undefined;
}

/** Leads to the sign-in and back to this address. */
export function signIn(): void {
  const { pathname, search } = location;
  const to = pathname === SIGNED_OUT ? '/' : pathname + search;
  location.assign(`/session/sign-in?${new URLSearchParams({ to })}`);
}

/** Ends the session and leaves the page. */
export async function signOut(): Promise<void> {
  // The sign-out does not depend on the browser's push service.
  await endPushes().catch(() => undefined);
  const response = await fetch('/session/sign-out', { method: 'POST' });
  const { url } = await response.json();
  tabs.postMessage(null);
  location.assign(url);
}
