/** The public addresses of the deployment. */
export interface Hosts {
  api: string;
  events: string;
  replay: string;
}

interface Session {
  token: string;
  expiresAt: number;
  hosts: Hosts;
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
  if (session !== undefined && Date.now() < session.expiresAt - EARLY_MS) return Promise.resolve(session);
  pending ??= renew().finally(() => {
    pending = undefined;
  });
  return pending;
}

/** Renews the token. Tabs of a browser take turns, because each renewal rotates the refresh token. */
async function renew(): Promise<Session> {
  return await navigator.locks.request('session', async () => {
    const response = await fetch('/session/token', { method: 'POST' });
    if (response.status === 401) throw new SignedOut('The session has ended. Sign in again.');
    if (!response.ok) throw new Error(`Signing in failed with status ${response.status}. Try again.`);
    const { accessToken, expiresInSeconds, hosts } = await response.json();
    session = { token: accessToken, expiresAt: Date.now() + expiresInSeconds * 1000, hosts };
    return session;
  });
}

/** Makes the next call renew the token. */
export function forgetToken(): void {
  session = undefined;
}

/** Leads to the sign-in and back to this address. */
export function signIn(): void {
  const { pathname, search } = location;
  location.assign(`/session/sign-in?${new URLSearchParams({ to: pathname + search })}`);
}

/** Ends the session and leaves the page. */
export async function signOut(): Promise<void> {
  const response = await fetch('/session/sign-out', { method: 'POST' });
  const { url } = await response.json();
  location.assign(url);
}
