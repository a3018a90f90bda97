import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { MEMBERSHIPS_TOPIC, membershipKey, parseMembershipKey } from '@switchboard/contracts';
import { testMember } from '@switchboard/directory/testing';
import { eventually } from '@switchboard/testkit';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { authorize as authorizeIn, discover } from '../testing/application.ts';
import type { TestBrowser } from '../testing/browser.ts';
import { type ForeignProvider, startForeignProvider } from '../testing/foreign-provider.ts';
import { CALLBACK, type IdentityHarness, OWNER, PASSWORD, startIdentity } from '../testing/harness.ts';

let foreign: ForeignProvider;
let identity: IdentityHarness;
let token: string;
let application: client.Configuration;
let github: Awaited<ReturnType<typeof startGithub>>;
beforeAll(async () => {
  github = await startGithub();
  identity = await startIdentity({
    async envOf(origin) {
      foreign = await startForeignProvider(`${origin}/identity/upstream/callback`);
      const client = { clientId: 'switchboard', clientSecret: 'foreign-secret' };
      return {
        OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
        SIGN_IN_PROVIDERS: JSON.stringify([
          { kind: 'oidc', id: 'foreign', name: 'Foreign', issuer: foreign.issuer, ...client },
          { kind: 'github', id: 'github', name: 'GitHub', url: github.url, apiUrl: github.url, ...client },
        ]),
      };
    },
  });
  const owner = await identity.setUp();
  application = await discover(identity.issuer);
  token = (await (await authorize(owner))()).access_token;
});

const authorize = (browser: TestBrowser) => authorizeIn(application, browser, 'openid profile email');

afterAll(async () => {
  await identity.stop();
  foreign.close();
  github.close();
});

/** A server with the endpoints of GitHub that a sign-in uses. */
async function startGithub() {
  const state = { emails: [{ email: 'Linus@Example.com', primary: true, verified: true }], code: 'right' };
  const server = createServer((request, response) => {
    const json = (body: unknown) =>
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    const url = new URL(request.url ?? '', 'http://github');
    if (url.pathname === '/login/oauth/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', state.code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(302, { Location: back.href }).end();
    } else if (url.pathname === '/login/oauth/access_token') {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => json(body.includes('code=right') ? { access_token: 'gho' } : { error: 'bad' }));
    } else if (request.headers.authorization !== 'Bearer gho') response.writeHead(401).end();
    else if (url.pathname === '/user') json({ id: 7, login: 'linus', name: null });
    else json(state.emails);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    state,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Calls the management API as the operator. */
const manage = (method: string, path: string, body?: unknown) =>
  fetch(`${identity.origin}/management/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Follows redirects between this service and the provider until a page, or back to the application. */
async function follow(browser: TestBrowser): Promise<void> {
  while (browser.status >= 300 && browser.status < 400 && !browser.url.startsWith(CALLBACK))
    await browser.open(browser.url);
}

async function signIn(key = 'deployment/foreign', browser = identity.browser()): Promise<TestBrowser> {
  await browser.open(`${identity.issuer}/sign-in/account/with/${key}`);
  await follow(browser);
  return browser;
}

const accountOf = async (email: string) => {
  const [row] = await identity.sql<{ id: string; name: string }[]>`
    select id, name from accounts where email = ${email}`;
  return row;
};
const isSignedIn = (browser: TestBrowser) => browser.cookies.has('switchboard_session');

/** Returns the changes of memberships in order, published or not. */
async function changesOf(companyId: string): Promise<unknown[]> {
  // The rows first: those that are published before the topic is read are in both.
  const rows = await identity.sql<{ sub: string; content: string | null }[]>`
    select sub, content from unpublished_memberships where company_id = ${companyId}`;
  const waiting = rows.map(({ sub, content }) => ({
    key: membershipKey(companyId, sub),
    value: content === null ? null : JSON.parse(content),
  }));
  const published = (await identity.topic(MEMBERSHIPS_TOPIC)).filter(
    ({ key }) => parseMembershipKey(key)?.companyId === companyId,
  );
  const isPublished = (one: (typeof waiting)[number]) =>
    isDeepStrictEqual(
      one,
      published.findLast(({ key }) => key === one.key),
    );
  return [...published, ...waiting.filter((one) => !isPublished(one))].map(({ value }) => value);
}

describe('sign-in with a provider of the deployment', () => {
  it('opens an account for a new person, and the same one the next time', async () => {
    foreign.person = {
      sub: 'grace',
      name: 'Grace Hopper',
      email: 'Grace@Navy.example',
      email_verified: true,
    };
    const browser = await signIn();
    expect(isSignedIn(browser)).toBe(true);
    const account = await accountOf('grace@navy.example');
    expect(account?.name).toBe('Grace Hopper');
    foreign.person = { ...foreign.person, email: 'admiral@navy.example' };
    await signIn();
    const sessions = await identity.sql<{ account_id: string; methods: string[] }[]>`
      select account_id, methods from sessions where account_id = ${account?.id ?? ''}`;
    expect(sessions.map(({ methods }) => methods)).toEqual([['fed'], ['fed']]);
    expect(await accountOf('admiral@navy.example')).toBeUndefined();
  });

  it('signs in to the account that has the verified address', async () => {
    foreign.person = { sub: 'ada', name: 'Ada', email: OWNER.email, email_verified: true };
    await signIn();
    const [linked] = await identity.sql<{ account_id: string }[]>`
      select account_id from upstream_accounts where subject = 'ada'`;
    expect(linked?.account_id).toBe((await accountOf(OWNER.email))?.id);
  });

  it.each([
    ['without an address', {}],
    ['with an address that is not verified', { email: OWNER.email, email_verified: false }],
    ['with an address of unknown state', { email: OWNER.email }],
  ])('rejects a person %s', async (_, more) => {
    foreign.person = { sub: 'mallory', name: 'Mallory', ...more };
    const browser = await signIn();
    expect(browser.status).toBe(403);
    expect(browser.html).toContain('did not confirm an email address');
    expect(isSignedIn(browser)).toBe(false);
  });

  it('rejects an answer that another browser asked for, one used before, and one without a request', async () => {
    foreign.person = {
      sub: 'grace',
      name: 'Grace Hopper',
      email: 'grace@navy.example',
      email_verified: true,
    };
    const attacker = identity.browser();
    await attacker.open(`${identity.issuer}/sign-in/account/with/deployment/foreign`);
    attacker.follows = false;
    while (!attacker.url.startsWith(`${identity.issuer}/upstream/callback`))
      await attacker.open(attacker.url);
    const victim = identity.browser();
    await victim.open(attacker.url);
    expect(victim.status).toBe(400);
    expect(isSignedIn(victim)).toBe(false);
    const answer = attacker.url;
    attacker.follows = true;
    await follow(attacker);
    expect(isSignedIn(attacker)).toBe(true);
    await attacker.open(answer);
    expect(attacker.status).toBe(400);
    await victim.open(`${identity.issuer}/upstream/callback`);
    expect(victim.status).toBe(400);
  });

  it.each(['cross-site', 'same-site', 'none'])(
    'asks before it follows a link to a provider from %s, so that no link signs a person in to an account of its author',
    async (site) => {
      const browser = identity.browser();
      const url = `${identity.issuer}/sign-in/account/with/deployment/foreign`;
      await browser.send(url, { headers: { 'Sec-Fetch-Site': site } });
      expect([browser.status, browser.url]).toEqual([200, url]);
      expect(browser.html).toContain('Continue with Foreign');
      expect(browser.cookies.has('switchboard_upstream')).toBe(false);
    },
  );

  it('completes the sign-in of an application, and no sign-in that does not exist', async () => {
    foreign.person = { sub: 'grace', name: 'Grace', email: 'grace@navy.example', email_verified: true };
    const browser = identity.browser();
    const exchange = await authorize(browser);
    await browser.open(`${browser.url}/with/deployment/foreign`);
    await follow(browser);
    expect((await exchange()).claims()).toMatchObject({ email: 'grace@navy.example' });
    await browser.open(`${identity.issuer}/sign-in/unknown/with/deployment/foreign`);
    expect([browser.status, browser.html]).toEqual([400, expect.stringContaining('sign-in has expired')]);
  });

  it('answers 404 for an unknown provider', async () => {
    const browser = identity.browser();
    for (const key of ['deployment/unknown', 'company/unknown', 'other/foreign']) {
      await browser.open(`${identity.issuer}/sign-in/account/with/${key}`);
      expect(browser.status).toBe(404);
    }
  });

  it('shows a failure of the provider, and works again after it', async () => {
    github.state.code = 'wrong';
    const failed = await signIn('deployment/github');
    expect(failed.status).toBe(400);
    expect(failed.html).toContain('GitHub did not complete the sign-in');
    github.state.code = 'right';
    await signIn('deployment/github');
    expect((await accountOf('linus@example.com'))?.name).toBe('linus');
  });

  it('rejects a person of GitHub without a verified address', async () => {
    github.state.emails = [{ email: OWNER.email, primary: true, verified: false }];
    expect((await signIn('deployment/github')).status).toBe(403);
  });
});

describe('sign-in with the provider of a company', () => {
  const company = 'co_navy';
  const path = `/companies/${company}`;
  const settings = (more: object = {}) => ({
    provider: {
      name: 'Navy',
      issuer: foreign.issuer,
      clientId: 'switchboard',
      clientSecret: 'foreign-secret',
      ...more,
    },
    groupRoles: [
      { group: 'Captains', role: 'admin' },
      { group: 'sailors', role: 'support' },
    ],
  });
  const here = (method: string, at: string, body?: unknown) => manage(method, `${path}${at}`, body);

  beforeAll(async () => {
    await identity.directory.putEntitlements(company, {});
    expect((await here('PUT', '/sign-in', settings())).status).toBe(200);
  });

  it('keeps the secret of the provider encrypted, and does not return it', async () => {
    const answer = await (await here('GET', '/sign-in')).text();
    expect(answer).toContain('"issuer"');
    expect(answer).not.toContain('foreign-secret');
    const rows = await identity.sql`select * from upstream_providers`;
    expect(JSON.stringify(rows)).not.toContain('foreign-secret');
    const kept = await here('PUT', '/sign-in', settings({ clientSecret: undefined }));
    expect(kept.status).toBe(200);
  });

  it('tests the address, the client and the secret of a provider', async () => {
    const test = async (company: string) => {
      const answer = await manage('POST', `/companies/${company}/sign-in/test`);
      const { problem, authorizationEndpoint, error } = JSON.parse(await answer.text());
      return [answer.status, problem ?? authorizationEndpoint ?? error.message];
    };
    expect(await test('co_test')).toEqual([404, 'Provider not found: the company has none.']);
    expect(await test(company)).toEqual([200, `${foreign.issuer}/auth`]);
    await manage('PUT', '/companies/co_test/sign-in', settings({ clientSecret: 'wrong' }));
    expect(await test('co_test')).toEqual([
      200,
      'The provider refuses the client (invalid_client). Check the client ID and the secret.',
    ]);
    const issuer = 'http://127.0.0.1:1';
    await manage('PUT', '/companies/co_test/sign-in', settings({ issuer }));
    expect(await test('co_test')).toEqual([
      200,
      `${issuer} has no valid discovery document. Check the issuer.`,
    ]);
    await manage('PUT', '/companies/co_test/sign-in', { provider: null });
  });

  it('rejects a new provider without a secret, and an address without TLS', async () => {
    const other = { ...settings({ clientSecret: undefined }) };
    expect((await manage('PUT', '/companies/co_other/sign-in', other)).status).toBe(400);
    const plain = settings({ issuer: 'http://login.example' });
    expect((await here('PUT', '/sign-in', plain)).status).toBe(400);
  });

  it('opens no account before a domain is verified, nor one of another domain', async () => {
    foreign.person = { sub: 'navy-1', name: 'Nelson', email: 'nelson@fleet.example', groups: ['Sailors'] };
    const before = await signIn(`company/${company}`);
    expect(before.status).toBe(403);
    expect(before.html).toContain('outside of the verified domains');
    await here('PUT', '/domains/fleet.example');
    expect((await signIn(`company/${company}`)).status).toBe(403);
    expect((await here('POST', '/domains/fleet.example/verify')).status).toBe(200);
    const browser = await signIn(`company/${company}`);
    expect(isSignedIn(browser)).toBe(true);
    expect(await changesOf(company)).toEqual([
      {
        companyId: company,
        sub: (await accountOf('nelson@fleet.example'))?.id,
        name: 'Nelson',
        email: 'nelson@fleet.example',
        role: 'support',
      },
    ]);
    foreign.person = { sub: 'navy-2', name: 'Mallory', email: OWNER.email };
    expect((await signIn(`company/${company}`)).status).toBe(403);
  });

  it.each([
    'https://login.example/.well-known/openid-configuration',
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/organizations/v2.0',
    'https://login.microsoftonline.com/consumers/v2.0',
  ])('rejects the shared or unchecked issuer %s', async (issuer) => {
    expect((await here('PUT', '/sign-in', settings({ issuer }))).status).toBe(400);
  });

  it('rejects a discovery document that names another issuer', async () => {
    foreign.person = { sub: 'navy-1', name: 'Nelson', email: 'nelson@fleet.example' };
    const issuer = `${foreign.issuer}/.well-known/openid-configuration`;
    await identity.sql`update upstream_providers set issuer = ${issuer} where company_id = ${company}`;
    const browser = await signIn(`company/${company}`);
    expect(browser.status).toBe(400);
    expect(isSignedIn(browser)).toBe(false);
    await here('PUT', '/sign-in', settings());
    expect(isSignedIn(await signIn(`company/${company}`))).toBe(true);
  });

  it('opens no account that another provider linked to the same subject and issuer', async () => {
    foreign.person = { sub: 'ada', name: 'Mallory', email: 'mallory@fleet.example' };
    const browser = await signIn(`company/${company}`);
    expect(isSignedIn(browser)).toBe(true);
    const links = await identity.sql<{ provider: string; email: string }[]>`
      select provider, email from upstream_accounts join accounts on id = account_id
      where subject = 'ada' order by provider`;
    expect([...links]).toEqual([
      { provider: `company/${company}`, email: 'mallory@fleet.example' },
      { provider: 'deployment/foreign', email: OWNER.email },
    ]);
  });

  it('opens no linked account after its address left the verified domains', async () => {
    foreign.person = { sub: 'ada', name: 'Mallory', email: 'mallory@fleet.example' };
    await identity.sql`update accounts set email = 'mallory@else.example' where email = 'mallory@fleet.example'`;
    expect((await signIn(`company/${company}`)).status).toBe(403);
  });

  it('rejects an address that the provider says is not verified', async () => {
    foreign.person = { sub: 'navy-3', name: 'Eve', email: 'nelson@fleet.example', email_verified: false };
    const browser = await signIn(`company/${company}`);
    expect(browser.status).toBe(403);
    expect(isSignedIn(browser)).toBe(false);
  });

  it('gives the greatest role of the groups, the least without one, and keeps the role without the claim', async () => {
    foreign.person = {
      sub: 'navy-1',
      name: 'Nelson',
      email: 'nelson@fleet.example',
      groups: ['sailors', 'CAPTAINS', 'cooks'],
    };
    await signIn(`company/${company}`);
    expect((await changesOf(company)).at(-1)).toMatchObject({ role: 'admin' });
    foreign.person = { ...foreign.person, groups: ['cooks'] };
    await signIn(`company/${company}`);
    expect((await changesOf(company)).at(-1)).toMatchObject({ role: 'viewer' });
    const { groups: _, ...withoutClaim } = foreign.person;
    foreign.person = withoutClaim;
    await signIn(`company/${company}`);
    expect((await changesOf(company)).at(-1)).not.toHaveProperty('role');
  });

  it('lets one company alone verify a domain', async () => {
    await identity.directory.putEntitlements('co_pirates', {});
    await manage('PUT', '/companies/co_pirates/domains/fleet.example');
    const answer = await manage('POST', '/companies/co_pirates/domains/fleet.example/verify');
    expect(answer.status).toBe(409);
  });

  it('leads an address of the domain to the provider', async () => {
    const browser = identity.browser();
    await browser.open(`${identity.issuer}/sign-in/account/sso`);
    await browser.submit({ email: 'someone@fleet.example' });
    expect(browser.html).toContain(`/sign-in/account/with/company/${company}`);
    await browser.open(`${identity.issuer}/sign-in/account/sso`);
    await browser.submit({ email: 'someone@other.example' });
    expect(browser.status).toBe(400);
  });

  it('rejects the password of a member whom the company requires to use its provider, but not of an owner', async () => {
    const before = identity.browser();
    const exchange = await authorize(before);
    await before.submit({ email: OWNER.email, password: PASSWORD });
    const tokens = await client.refreshTokenGrant(application, (await exchange()).refresh_token ?? '');
    await here('PUT', '/sign-in', settings({ enforced: true }));
    await identity.sql`update accounts set email = 'ada@fleet.example' where email = ${OWNER.email}`;
    const ada = await accountOf('ada@fleet.example');
    const withPassword = async () => {
      const browser = identity.browser();
      await browser.open(`${identity.issuer}/sign-in/account`);
      await browser.submit({ email: 'ada@fleet.example', password: PASSWORD });
      return browser;
    };
    const browser = await withPassword();
    expect(browser.status).toBe(403);
    expect(browser.html).toContain('Your company requires Navy');
    expect(isSignedIn(browser)).toBe(false);
    foreign.person = { sub: 'ada-at-all', name: 'Ada', email: 'ada@fleet.example', email_verified: true };
    const withOther = await signIn();
    expect(withOther.status).toBe(403);
    expect(isSignedIn(withOther)).toBe(false);
    await before.open(`${identity.issuer}/account`);
    expect(before.url).toContain('/sign-in/account');
    await expect(client.refreshTokenGrant(application, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await identity.directory.put('member', testMember(company, ada?.id ?? '', { role: 'owner' }));
    await eventually(async () => expect(isSignedIn(await withPassword())).toBe(true));
  });

  it('keeps the sessions and tokens of people who signed in with the required provider', async () => {
    foreign.person = { sub: 'navy-1', name: 'Nelson', email: 'nelson@fleet.example' };
    const browser = identity.browser();
    const exchange = await authorize(browser);
    await browser.open(`${browser.url}/with/company/${company}`);
    await follow(browser);
    const { refresh_token: first = '' } = await exchange();
    expect((await client.refreshTokenGrant(application, first)).access_token).toBeTypeOf('string');
    await browser.open(`${identity.issuer}/account`);
    expect(browser.html).toContain('nelson@fleet.example');
    await browser.submit({ email: 'nelson@private.example' }, '/account/email');
    expect([browser.status, browser.html]).toEqual([
      400,
      expect.stringContaining('company manages this address'),
    ]);
  });

  it('leaves members to SCIM once the company has a token for it', async () => {
    const created = await manage('POST', `${path}/scim-tokens`, { name: 'Entra ID' });
    const { token: scimToken } = z.object({ token: z.string() }).parse(await created.json());
    foreign.person = { sub: 'navy-9', name: 'Byron', email: 'byron@fleet.example', groups: ['captains'] };
    const before = await changesOf(company);
    expect((await signIn(`company/${company}`)).status).toBe(403);
    expect(await changesOf(company)).toEqual(before);
    const provision = (active: boolean, method: string, at: string) =>
      fetch(`${identity.issuer}/scim/v2/Users${at}`, {
        method,
        headers: { Authorization: `Bearer ${scimToken}` },
        body: JSON.stringify({ userName: 'byron@fleet.example', active }),
      });
    const { id } = z.object({ id: z.string() }).parse(await (await provision(true, 'POST', '')).json());
    expect(isSignedIn(await signIn(`company/${company}`))).toBe(true);
    await provision(false, 'PUT', `/${id}`);
    expect((await signIn(`company/${company}`)).status).toBe(403);
  });
});
