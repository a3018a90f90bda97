import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHealth, createMetrics, parseConfig } from '@switchboard/runtime';
import type { Hono } from 'hono';
import OpenIdProvider from 'oidc-provider';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Assets } from '../assets/assets.ts';
import { consoleSettings } from '../config.ts';
import { createConsole } from '../service.ts';

const CONSOLE = 'http://console.example';
const assets: Assets = {
  index: { type: 'text/html', bytes: new Uint8Array(), etag: '""' },
  files: new Map(),
};

let server: Server;
let issuer: string;
let app: Hono;
/** The cookies of the browser, at the console and at the provider. */
let cookies: Map<string, string>;
let failures: unknown[];

beforeAll(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createOpenIdProvider(issuer);
  const callback = provider.callback();
  server.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    // Signs Ada in without a page.
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(() => {
  cookies = new Map();
  failures = [];
  app = startConsole();
});

/** A provider that rotates refresh tokens, and ends the session if a used one arrives. */
function createOpenIdProvider(url: string) {
  const provider: OpenIdProvider = new OpenIdProvider(url, {
    clients: [
      {
        client_id: 'console',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`${CONSOLE}/signed-in`],
        post_logout_redirect_uris: [CONSOLE],
      },
    ],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email: `${accountId}@acme.example` }),
    }),
    claims: { openid: ['sub'], email: ['email'] },
    conformIdTokenClaims: false,
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    async loadExistingGrant(ctx) {
      const { client, session } = ctx.oidc;
      const grant = new provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email offline_access');
      await grant.save();
      return grant;
    },
  });
  return provider;
}

const startConsole = (provider = issuer) =>
  createConsole({
    config: parseConfig(consoleSettings, {
      CONSOLE_URL: CONSOLE,
      PUBLIC_API_URL: 'http://api.example',
      PUBLIC_EVENTS_URL: 'http://events.example',
      PUBLIC_REPLAY_URL: 'http://replay.example',
      OIDC_ISSUER: provider,
      SESSION_SECRET: 'a-secret-of-the-test-long-enough-to-encrypt',
      OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
      TRUSTED_PROXY_HOPS: '1',
    }),
    assets,
    health: createHealth(),
    logger: { failed: (_, error) => void failures.push(error) },
    metrics: createMetrics('console'),
  });

/** Sends a request with the browser's cookies, and keeps those of the response. */
async function send(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
  const request = new Request(url, { ...init, headers, redirect: 'manual' });
  const response = url.startsWith(CONSOLE) ? await app.request(request) : await fetch(request);
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
  return response;
}

async function signIn(to = '/'): Promise<string> {
  let url = `${CONSOLE}/session/sign-in?${new URLSearchParams({ to })}`;
  for (let step = 0; step < 10; step++) {
    const response = await send(url);
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    const isDone = url.startsWith(`${CONSOLE}/signed-in`);
    url = new URL(location, url).href;
    if (isDone) return location;
  }
  throw new Error('the sign-in does not end');
}

const ask = () => send(`${CONSOLE}/session/token`, { method: 'POST', headers: { Origin: CONSOLE } });

it('signs a person in and returns to the page that asked for it', async () => {
  expect(await signIn('/projects/p?open=a')).toBe('/projects/p?open=a');
  const answer = await ask();
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { accessToken: expect.any(String), email: 'ada@acme.example', hosts: { api: 'http://api.example' } },
  ]);
  expect(failures).toEqual([]);
});

it('keeps the session in a cookie that scripts and other sites cannot use', async () => {
  await signIn();
  const lines = (await ask()).headers.getSetCookie();
  expect(lines).toEqual([
    expect.stringMatching(/^switchboard_console=.*; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
});

it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'returns to its own start page instead of %s',
  async (to) => {
    expect(await signIn(to)).toBe('/');
  },
);

it('renews once for tabs that ask at the same time or again with a used token', async () => {
  await signIn();
  const used = cookies.get('switchboard_console') ?? '';
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  cookies.set('switchboard_console', used);
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(200);
});

it('asks for a sign-in when the provider ended the session', async () => {
  await signIn();
  const used = cookies.get('switchboard_console') ?? '';
  await ask();
  cookies.set('switchboard_console', used);
  // Another instance does not know about the renewal.
  app = startConsole();
  expect((await ask()).status).toBe(401);
  expect(cookies.has('switchboard_console')).toBe(false);
  expect((await ask()).status).toBe(401);
});

it('ends the session here and at the provider', async () => {
  await signIn();
  const left = cookies.get('switchboard_console') ?? '';
  const answer = await send(`${CONSOLE}/session/sign-out`, { method: 'POST', headers: { Origin: CONSOLE } });
  const { url } = (await answer.json()) as { url: string };
  expect(new URL(url).searchParams.get('post_logout_redirect_uri')).toBe(CONSOLE);
  expect(cookies.has('switchboard_console')).toBe(false);
  cookies.set('switchboard_console', left);
  expect((await ask()).status).toBe(401);
});

it('starts again when the provider refuses or the state is not that of this browser', async () => {
  await send(`${CONSOLE}/session/sign-in`);
  const answer = await send(`${CONSOLE}/signed-in?code=a&state=b`);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  expect(cookies.has('switchboard_console')).toBe(false);
});

it('refuses the 601st renewal of an address within a minute, and no other address', async () => {
  const from = (address: string) =>
    send(`${CONSOLE}/session/token`, {
      method: 'POST',
      headers: { Origin: CONSOLE, 'X-Forwarded-For': address },
    });
  for (let count = 1; count <= 600; count++) await from('192.0.2.1');
  const refused = await from('192.0.2.1');
  expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: 'RATE_LIMITED' } }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await from('192.0.2.2')).status).toBe(401);
});

it('refuses the 241st sign-in of an address within a quarter of an hour', async () => {
  for (let count = 1; count <= 240; count++) await send(`${CONSOLE}/signed-in`);
  const refused = await send(`${CONSOLE}/session/sign-in`);
  expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=UTF-8']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.text()).toMatch(
    /<h1>Too many sign-ins<\/h1><p>There were .* Try again in \d+ minutes/,
  );
  expect(refused.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(failures).toEqual([]);
});

it('shows a page while the provider does not answer', async () => {
  app = startConsole('http://127.0.0.1:1');
  const page = await send(`${CONSOLE}/session/sign-in`);
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await page.text()).toContain('The identity provider does not answer.');
  expect(failures).toHaveLength(1);
});

it('counts requests by route, with one route for all pages, and returns their ids', async () => {
  const answer = await send(`${CONSOLE}/projects/p/flags`, { headers: { 'X-Request-Id': 'r1' } });
  expect(answer.headers.get('x-request-id')).toBe('r1');
  await ask();
  const metrics = await (await send(`${CONSOLE}/metrics`)).text();
  const counted = [
    ...metrics.matchAll(/^switchboard_http_requests_total\{route="([^"]+)".*status="(\d+)"/gm),
  ];
  expect(counted.map(([, route, status]) => [route, status])).toEqual([
    ['/', '200'],
    ['/session/token', '401'],
  ]);
});
