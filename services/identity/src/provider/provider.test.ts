import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discover } from '../testing/application.ts';
import type { TestBrowser } from '../testing/browser.ts';
import { CALLBACK, type IdentityHarness, OWNER, PASSWORD, startIdentity } from '../testing/harness.ts';

let identity: IdentityHarness;
let owner: TestBrowser;
let config: client.Configuration;
beforeAll(async () => {
  identity = await startIdentity();
  owner = await identity.setUp();
  config = await discover(identity.issuer);
});
afterAll(() => identity.stop());

/** Asks for a code as the console does. Returns the address that the browser comes back with. */
async function authorize(browser: TestBrowser, more: Record<string, string> = {}) {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...more,
  });
  await browser.open(url.href);
  const exchange = () =>
    client.authorizationCodeGrant(config, new URL(browser.url), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
  return { exchange, verifier, state };
}

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as { error?: string; code?: string },
  );

describe('the code flow', () => {
  it('gives a signed-in person an at+jwt token with the audience and the claims that services verify', async () => {
    const { exchange } = await authorize(owner);
    const tokens = await exchange();
    const keys = createRemoteJWKSet(new URL(`${identity.issuer}/jwks`));
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keys, {
      issuer: identity.issuer,
      audience: identity.harness.env['AUTH_AUDIENCE'] ?? '',
      typ: 'at+jwt',
    });
    expect(protectedHeader.alg).toBe('RS256');
    expect(payload).toMatchObject({
      name: OWNER.name,
      permissions: ['service.manage'],
      client_id: 'console',
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(300);
    expect(tokens.claims()).toMatchObject({ sub: payload.sub, name: OWNER.name, email: OWNER.email });
  });

  it('signs a person in with a password and comes back to the application', async () => {
    const browser = identity.browser();
    const { exchange } = await authorize(browser);
    expect(browser.html).toContain('Sign in to Switchboard console');
    await browser.submit({ email: OWNER.email, password: 'wrong' });
    expect([browser.status, browser.html]).toEqual([
      400,
      expect.stringContaining('email or password is wrong'),
    ]);
    await browser.submit({ email: OWNER.email.toUpperCase(), password: PASSWORD });
    expect(browser.url.startsWith(`${CALLBACK}?`)).toBe(true);
    expect((await exchange()).claims()).toMatchObject({ email: OWNER.email });
  });

  it('signs no account in with one click', async () => {
    const browser = identity.browser();
    await authorize(browser);
    expect(browser.html).not.toContain('/as/');
    const [{ id } = { id: '' }] = await identity.sql<{ id: string }[]>`select id from accounts`;
    await browser.send(`${browser.url}/as/${id}`, {
      method: 'POST',
      headers: { Origin: identity.origin, 'Sec-Fetch-Site': 'same-origin' },
    });
    expect(browser.status).toBe(404);
  });

  it('refuses a request without PKCE, with another redirect address, or of an unknown client', async () => {
    const browser = identity.browser();
    const url = client.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'openid', state: 's' });
    await browser.open(url.href);
    expect(new URL(browser.url).searchParams.get('error')).toBe('invalid_request');
    await authorize(browser, { redirect_uri: 'https://evil.example/signed-in' });
    expect([browser.status, new URL(browser.url).origin]).toEqual([400, identity.origin]);
    await authorize(browser, { client_id: '<b>x' });
    expect(browser.status).toBe(400);
    expect(browser.html).not.toContain('<b>x');
  });

  it('refuses a code that was used before, and ends the tokens that came from it', async () => {
    const { exchange } = await authorize(owner);
    const tokens = await exchange();
    expect(await errorOf(exchange())).toMatchObject({ error: 'invalid_grant' });
    expect(await errorOf(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('refuses a code with another verifier', async () => {
    const { state } = await authorize(owner);
    const error = await errorOf(
      client.authorizationCodeGrant(config, new URL(owner.url), {
        pkceCodeVerifier: client.randomPKCECodeVerifier(),
        expectedState: state,
      }),
    );
    expect(error).toMatchObject({ error: 'invalid_grant' });
  });

  it('refuses a token for another resource', async () => {
    await authorize(owner, { resource: 'https://other.example' });
    expect(new URL(owner.url).searchParams.get('error')).toBe('invalid_target');
  });
});

describe('a refresh token', () => {
  /** Moves the last use of refresh tokens into the past. */
  const letPass = (seconds: number) =>
    identity.sql`update oidc_records set consumed_at = consumed_at - make_interval(secs => ${seconds})`;
  const refresh = (token = '') => client.refreshTokenGrant(config, token);
  const isRefused = async (token = '') =>
    expect(await errorOf(refresh(token))).toMatchObject({ error: 'invalid_grant' });

  it('gives the same successor again for 30 seconds, as after a lost answer', async () => {
    const { exchange } = await authorize(owner);
    const { refresh_token: first = '' } = await exchange();
    const { refresh_token: second, access_token } = await refresh(first);
    expect(decodeProtectedHeader(access_token).typ).toBe('at+jwt');
    expect(second).not.toBe(first);
    await letPass(25);
    expect((await refresh(first)).refresh_token).toBe(second);
    const { refresh_token: third } = await refresh(second);
    expect([first, second]).not.toContain(third);
    expect((await refresh(third)).refresh_token).not.toBe(third);
  });

  it('ends the whole grant if it is used again after 30 seconds', async () => {
    const { exchange } = await authorize(owner);
    const { refresh_token: first } = await exchange();
    const { refresh_token: second } = await refresh(first);
    await letPass(31);
    await isRefused(first);
    await isRefused(second);
  });

  it('ends the whole grant if it is used again after its successor', async () => {
    const { exchange } = await authorize(owner);
    const { refresh_token: first } = await exchange();
    const { refresh_token: second } = await refresh(first);
    const { refresh_token: third } = await refresh(second);
    await isRefused(first);
    await isRefused(second);
    await isRefused(third);
  });

  it('tells of a theft within 30 seconds when the second of both uses the shared successor later', async () => {
    const { exchange } = await authorize(owner);
    const { refresh_token: stolen } = await exchange();
    const [own, thiefs] = [await refresh(stolen), await refresh(stolen)];
    const { refresh_token: third } = await refresh(own.refresh_token);
    await letPass(31);
    await isRefused(thiefs.refresh_token);
    await isRefused(third);
  });

  it('gives ten requests at once the same successor, which works', async () => {
    const { exchange } = await authorize(owner);
    const { refresh_token: token } = await exchange();
    const all = await Promise.all(Array.from({ length: 10 }, () => refresh(token)));
    const successors = new Set(all.map(({ refresh_token }) => refresh_token));
    expect(successors.size).toBe(1);
    const [successor] = successors;
    expect((await refresh(successor)).refresh_token).not.toBe(successor);
  });

  it('is refused from another client, also within 30 seconds, and keeps working', async () => {
    const { exchange } = await authorize(owner);
    const { refresh_token: first } = await exchange();
    const { refresh_token: second } = await refresh(first);
    const body = { grant_type: 'refresh_token', client_id: 'switchboard', refresh_token: first ?? '' };
    const answer = await fetch(`${identity.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams(body),
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_grant' }),
    ]);
    expect((await refresh(second)).refresh_token).toBeTypeOf('string');
  });

  it('can be revoked with the token that it replaced, for 30 seconds', async () => {
    const { exchange } = await authorize(owner);
    const { refresh_token: first = '' } = await exchange();
    const { refresh_token: second } = await refresh(first);
    await client.tokenRevocation(config, first);
    await isRefused(second);
  });

  it('is stored as a hash, and its payload is encrypted', async () => {
    const { exchange } = await authorize(owner);
    const { refresh_token: token = '' } = await exchange();
    const rows = await identity.sql`select * from oidc_records`;
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe('the device flow', () => {
  it('signs a command in once its person allows the code', async () => {
    const command = await client.discovery(
      new URL(identity.issuer),
      'switchboard',
      undefined,
      client.None(),
      {
        execute: [client.allowInsecureRequests],
      },
    );
    const device = await client.initiateDeviceAuthorization(command, { scope: 'openid offline_access' });
    const browser = identity.browser();
    await browser.open(device.verification_uri);
    await browser.submit({ user_code: 'WRON-GGGG' });
    expect(browser.html).toContain('wrong or has expired');
    await browser.submit({ user_code: device.user_code });
    expect(browser.html).toContain(device.user_code);
    await browser.submit({ confirm: 'yes' });
    await browser.submit({ email: OWNER.email, password: PASSWORD });
    expect(browser.html).toContain('The device is connected');
    const tokens = await client.pollDeviceAuthorizationGrant(command, { ...device, interval: 0 });
    expect(decodeProtectedHeader(tokens.access_token).typ).toBe('at+jwt');
    expect(tokens.refresh_token).toBeTypeOf('string');
  });
});

describe('sign-out', () => {
  it('ends the session after the person agrees, and with it the refresh tokens', async () => {
    const browser = identity.browser();
    const { exchange } = await authorize(browser);
    await browser.submit({ email: OWNER.email, password: PASSWORD });
    const tokens = await exchange();
    const url = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'https://console.example',
    });
    await browser.open(url.href);
    await browser.submit({ logout: 'yes' });
    expect(new URL(browser.url).origin).toBe('https://console.example');
    expect(await errorOf(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toMatchObject({
      error: 'invalid_grant',
    });
    await authorize(browser);
    expect(browser.html).toContain('Sign in to Switchboard console');
  });
});

describe('pages', () => {
  it('allow no inline script, no frames and no forms of other sites', async () => {
    const browser = identity.browser();
    await authorize(browser);
    const policy = browser.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(browser.html).not.toMatch(/<script>|style=|onclick=/);
    await browser.send(browser.url, {
      method: 'POST',
      body: new URLSearchParams({ email: OWNER.email, password: PASSWORD }),
      headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    });
    expect(browser.status).toBe(403);
  });

  it('are in the language that the browser prefers, those of the OpenID provider too', async () => {
    const browser = identity.browser();
    const shown = async (path: string, language: string) => {
      await browser.send(`${identity.issuer}${path}`, { headers: { 'Accept-Language': language } });
      return browser.html;
    };
    const german = await shown('/sign-in/account', 'de-CH, en;q=0.5');
    expect(german).toContain('<html lang="de"');
    expect(german).toContain('Passwort vergessen?');
    expect(browser.headers.get('vary')).toContain('Accept-Language');
    expect(await shown('/device', 'fr')).toContain('Connecter un appareil');
    expect(await shown('/sign-in/account', 'xx')).toContain('<html lang="en"');
  });

  it('answers an unknown account as it answers a wrong password', async () => {
    const shown = async (email: string) => {
      const browser = identity.browser();
      await browser.open(`${identity.issuer}/sign-in/account`);
      await browser.submit({ email, password: 'wrong wrong wrong' });
      return browser.html.replace(email, '');
    };
    expect(await shown('nobody@acme.example')).toBe(await shown(OWNER.email));
  });

  it('gives the session a new id with each sign-in', async () => {
    const browser = identity.browser();
    const signIn = async () => {
      await browser.open(`${identity.issuer}/sign-in/account`);
      if (browser.html.includes('<form')) await browser.submit({ email: OWNER.email, password: PASSWORD });
      return browser.cookies.get('switchboard_session')?.value;
    };
    browser.cookies.set('switchboard_session', { value: 'planted', path: '/identity' });
    const first = await signIn();
    expect(first).not.toBe('planted');
    await authorize(browser, { prompt: 'login' });
    await browser.submit({ email: OWNER.email, password: PASSWORD });
    expect(browser.cookies.get('switchboard_session')?.value).not.toBe(first);
  });
});

describe('the set-up link', () => {
  it('works for the first account only', async () => {
    const browser = identity.browser();
    await browser.open(identity.links.at(-1) ?? '');
    expect(browser.status).toBe(404);
  });
});
