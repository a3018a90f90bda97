import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Terminal, UsageError } from '../terminal/terminal.ts';

/** The tokens of an issuer. The refresh token works once: using it gives the next one. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string;
  expiresInSeconds: number;
}

const CLIENT = 'switchboard';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const TIMEOUT_MS = 15_000;

const metadata = z.object({ token_endpoint: z.url(), device_authorization_endpoint: z.url() });
const device = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.url(),
  interval: z.number().min(0).max(60).default(5),
  expires_in: z.number(),
});
const tokens = z
  .object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() })
  .transform(
    ({
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in: expiresInSeconds,
    }): IssuedTokens => ({
      accessToken,
      refreshToken,
      expiresInSeconds,
    }),
  );
const failure = z.object({ error: z.string() });

async function request(url: string, fields?: Record<string, string>): Promise<unknown> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const body = fields && { method: 'POST', body: new URLSearchParams({ ...fields, client_id: CLIENT }) };
  const response = await fetch(url, { ...body, signal, redirect: 'error' }).catch(() => undefined);
  if (response === undefined) throw new UsageError(`${url}: no answer`);
  return response.json().catch(() => undefined);
}

/** Returns the endpoints of an issuer. Throws UsageError if it has no device flow. */
async function endpointsOf(issuer: string): Promise<z.output<typeof metadata>> {
  const found = metadata.safeParse(await request(`${issuer}/.well-known/openid-configuration`));
  if (!found.success) throw new UsageError(`${issuer}: not an OpenID provider with the device flow`);
  return found.data;
}

/** Asks the person to allow this command in a browser (RFC 8628). Throws UsageError if they do not. */
export async function signInByDevice(issuer: string, terminal: Pick<Terminal, 'err'>): Promise<IssuedTokens> {
  const endpoints = await endpointsOf(issuer);
  const scope = 'openid offline_access';
  const begun = device.safeParse(await request(endpoints.device_authorization_endpoint, { scope }));
  if (!begun.success) throw new UsageError(`${issuer}: does not know the client ${CLIENT}`);
  const { device_code, user_code, verification_uri, expires_in } = begun.data;
  terminal.err(`Open ${verification_uri} and enter the code ${user_code}\n`);
  const endsAt = performance.now() + expires_in * 1_000;
  for (let seconds = begun.data.interval; performance.now() < endsAt; ) {
    await sleep(seconds * 1_000);
    const answer = await request(endpoints.token_endpoint, { grant_type: DEVICE_GRANT, device_code });
    const issued = tokens.safeParse(answer);
    if (issued.success) return issued.data;
    const error = failure.safeParse(answer).data?.error;
    if (error === 'slow_down') seconds += 5;
    else if (error !== 'authorization_pending') break;
  }
  throw new UsageError('the code was not allowed; log in again');
}

/** Uses up a refresh token. Throws UsageError if the login has ended. */
export async function refreshTokens(issuer: string, refreshToken: string): Promise<IssuedTokens> {
  const { token_endpoint } = await endpointsOf(issuer);
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const refresh = () => request(token_endpoint, fields);
  // If the answer was lost, the issuer gives the same tokens again for a moment.
  const issued = tokens.safeParse(await refresh().catch(refresh));
  if (!issued.success) throw new UsageError('the login has ended; log in again with switchboard login');
  return issued.data;
}
