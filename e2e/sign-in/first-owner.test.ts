import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInProcess } from '@switchboard/cli/testing';
import type { ServiceName } from '@switchboard/contracts';
import { identityService } from '@switchboard/service-identity';
import { startForeignProvider } from '@switchboard/service-identity/testing';
import {
  addAuthenticator,
  eventually,
  type Harness,
  hasChromium,
  openBrowser,
  openHarness,
} from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gateway, gatewayPorts, hasCaddy, startGateway } from '../harness/gateway.ts';
import { CALLBACK, requestCode } from './authorization.ts';

const OWNER = { name: 'Ada Owner', email: 'ada@acme.example' };
const GRACE = { name: 'Grace Hopper', email: 'grace@acme.example' };
const PLAN = { tier: 'growth', cycle: 'monthly' };
const COMPANY = '/companies/acme';
/** An operation of each service that owners of the company may call. Ingestion has none. */
const OF_OWNERS = {
  catalogue: `${COMPANY}/members`,
  collaboration: '/projects/prj/dashboards',
  messenger: '/projects/prj/conversations',
  flags: '/projects/prj/flags',
  archive: '/projects/prj/replays',
  analytics: '/projects/prj/events',
  identity: `${COMPANY}/sign-in`,
} as const;
/** Returns what `statusesOf` returns if every service answers the same. */
const everywhere = (status: number) =>
  Object.fromEntries(Object.keys(OF_OWNERS).map((name) => [name, status]));

const tokenAnswer = z.object({ access_token: z.string() });
const memberList = z.object({ members: z.array(z.looseObject({ sub: z.string(), email: z.string() })) });
const auditEntry = z.looseObject({ action: z.string(), object: z.string(), address: z.string().nullable() });

let harness: Harness;
let gateway: Gateway;
let origin: string;
let foreign: Awaited<ReturnType<typeof startForeignProvider>>;
let chromium: Browser;
let setUpLink: string;

/** Signs in as the console does. `act` does what the person does on the page. */
async function tokenOf(page: Page, act: () => Promise<unknown> = async () => undefined): Promise<string> {
  const { url, exchange } = requestCode(origin);
  const back = page.waitForRequest((request) => request.url().startsWith(`${CALLBACK}?`));
  // No server answers at the address of the console.
  await page.goto(url).catch(() => undefined);
  await act();
  const code = new URL((await back).url()).searchParams.get('code') ?? '';
  const response = await fetch(`${origin}/identity/token`, {
    method: 'POST',
    body: new URLSearchParams(exchange(code)),
  });
  return tokenAnswer.parse(await response.json()).access_token;
}

async function send(url: string, token: string, method = 'GET', body?: object): Promise<Response> {
  const type = url.includes('/scim/') ? 'application/scim+json' : 'application/json';
  return fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': type }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Returns the statuses of services to a person, by service. */
async function statusesOf(token: string) {
  const asked = Object.entries(OF_OWNERS).map(
    async ([name, path]) => [name, (await send(`${origin}/v1${path}`, token)).status] as const,
  );
  return Object.fromEntries(await Promise.all(asked));
}

const mailedLink = () =>
  eventually(async () => {
    const folder = harness.env['MAIL_DIR'] ?? '';
    const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.eml'));
    const text = (await readFile(join(folder, name), 'utf8')).replaceAll('=\r\n', '').replaceAll('=3D', '=');
    const [link] = /http:\S+\/identity\/invitation\/[\w-]+/.exec(text) ?? [];
    if (link === undefined) throw new Error('no invitation');
    return link;
  });

describe.skipIf(!hasCaddy() || !hasChromium)('a deployment without another identity provider', () => {
  beforeAll(async () => {
    const ports = await gatewayPorts();
    // Passkeys need a name instead of an address.
    origin = `http://localhost:${ports.api}`;
    const issuer = `${origin}/identity`;
    foreign = await startForeignProvider(`${issuer}/upstream/callback`);
    foreign.person = { sub: 'grace', ...GRACE, email_verified: true, groups: ['Analysts'] };
    harness = await openHarness({
      services: { identity: identityService },
      env: {
        LOG_LEVEL: 'info',
        AUTH_ISSUER: issuer,
        AUTH_JWKS_URL: `${issuer}/jwks`,
        ACCOUNT_SECRET: 'the account secret of a test with 32 or more characters',
        LINK_SECRET: 'x'.repeat(32),
        IDENTITY_SECRET: 'x'.repeat(32),
        TRUSTED_PROXY_HOPS: '1',
      },
    });
    const names = ['catalogue', 'collaboration', 'messenger', 'flags', 'archive', 'analytics'] as const;
    const patient = { readyWithinMs: 120_000 };
    const [identity, ...others] = await Promise.all([
      harness.spawn('identity', patient),
      ...names.map((name) => harness.spawn(name, patient)),
    ]);
    const upstreams = new Map<ServiceName, string[]>([['identity', [identity.url]]]);
    for (const [at, name] of names.entries()) upstreams.set(name, [others[at]?.url ?? '']);
    gateway = await startGateway(upstreams, ports, harness.folder);
    setUpLink = await eventually(() => {
      const link = identity.records().find((record) => 'link' in record)?.['link'];
      return z.string().parse(link);
    });
    chromium = await openBrowser();
  });
  afterAll(async () => {
    await chromium?.close();
    await gateway?.stop();
    foreign?.close();
    await harness?.stop();
  });

  it('takes its first owner from the set-up link to passkey, provider, colleague, SCIM, command and audit trail', async () => {
    const manage = async (service: string, method: string, path: string, body?: object) => {
      const answer = await send(`${harness.url(service)}/management/v1${path}`, owner, method, body);
      const text = await answer.text();
      expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300);
      return text === '' ? undefined : JSON.parse(text);
    };

    // The link of the first start makes the first owner, with a passkey and without a password.
    const page = await chromium.newPage();
    await addAuthenticator(page);
    await page.goto(setUpLink);
    await page.getByLabel('Name').fill(OWNER.name);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: /^Remove / }).waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    const owner = await tokenOf(page, () =>
      page.getByRole('button', { name: 'Sign in with a passkey' }).click(),
    );

    // The owner creates a company and connects its provider.
    await manage('catalogue', 'PUT', `/plans/${PLAN.tier}/${PLAN.cycle}`, {
      trialDays: 0,
      priced: false,
      entitlements: { seats: 10 },
    });
    await manage('catalogue', 'PUT', COMPANY, { name: 'Acme', plan: PLAN });
    const { sub } = z
      .looseObject({ sub: z.string() })
      .parse(await (await send(`${origin}/v1/me`, owner)).json());
    await manage('catalogue', 'PUT', `${COMPANY}/members/${sub}`, { ...OWNER, role: 'owner' });
    await manage('catalogue', 'PUT', '/projects/prj', {
      companyId: 'acme',
      name: 'Shop',
      region: 'eu',
      defaultLanguage: 'en',
    });
    await eventually(() => manage('identity', 'PUT', `${COMPANY}/domains/acme.example`));
    await manage('identity', 'POST', `${COMPANY}/domains/acme.example/verify`);
    await manage('identity', 'PUT', `${COMPANY}/sign-in`, {
      provider: {
        name: 'Acme login',
        issuer: foreign.issuer,
        clientId: 'switchboard',
        clientSecret: 'foreign-secret',
      },
      groupRoles: [{ group: 'Analysts', role: 'owner' }],
    });

    // A colleague accepts an invitation, and signs in with the provider.
    await page.goto(`${origin}/identity/account/invite`);
    await page.getByLabel('Company id').fill('acme');
    await page.getByLabel('Email').fill(GRACE.email);
    await page.getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByRole('heading', { name: 'The invitation is sent' }).waitFor();
    const invited = await (await chromium.newContext()).newPage();
    await invited.goto(await mailedLink());
    await invited.getByLabel('Name').fill(GRACE.name);
    await invited.getByRole('button', { name: 'Accept invitation' }).click();
    await invited.getByRole('heading', { name: 'Your account' }).waitFor();
    const colleague = await (await chromium.newContext()).newPage();
    const grace = await tokenOf(colleague, async () => {
      await colleague.getByRole('link', { name: 'Use single sign-on' }).click();
      await colleague.getByLabel('Email').fill(GRACE.email);
      await colleague.getByRole('button', { name: 'Continue' }).click();
      await colleague.getByRole('link', { name: 'Continue with Acme login' }).click();
    });
    const member = await eventually(async () => {
      const { members } = memberList.parse(await manage('catalogue', 'GET', `${COMPANY}/members`));
      expect(members).toContainEqual(expect.objectContaining({ ...GRACE, role: 'owner' }));
      return members.find(({ email }) => email === GRACE.email);
    });
    await eventually(async () => expect(await statusesOf(grace)).toEqual(everywhere(200)));

    // SCIM removes the colleague, and every service refuses the next call.
    const { token: scim, scimUrl = `${origin}/identity/scim/v2` } = await manage(
      'identity',
      'POST',
      `${COMPANY}/scim-tokens`,
      { name: 'Acme' },
    );
    const created = await send(`${scimUrl}/Users`, scim, 'POST', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: GRACE.email,
      emails: [{ value: GRACE.email, primary: true }],
    });
    expect(created.status).toBe(201);
    const { id } = z.looseObject({ id: z.string() }).parse(await created.json());
    expect((await send(`${scimUrl}/Users/${id}`, scim, 'DELETE')).status).toBe(204);
    await eventually(async () => expect(await statusesOf(grace)).toEqual(everywhere(403)));

    // The owner signs the command in by a code.
    const env = { XDG_CONFIG_HOME: harness.folder, SWITCHBOARD_KEYCHAIN: 'off' };
    let allowing: Promise<void> | undefined;
    const allow = async (shown: string) => {
      const [, address = '', code = ''] = /Open (\S+) and enter the code (\S+)/.exec(shown) ?? [];
      await page.goto(address);
      await page.getByLabel('Code shown on the device').fill(code);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Allow' }).click();
    };
    const login = await runInProcess(
      ['login', '--url', harness.url('catalogue'), '--issuer', `${origin}/identity`],
      env,
      undefined,
      (text) => {
        allowing ??= allow(text);
      },
    );
    await allowing;
    expect(login).toMatchObject({ code: 0, out: expect.stringContaining(`Logged in as ${OWNER.name}`) });
    expect(await runInProcess(['whoami'], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining(OWNER.name),
    });

    // The audit trail says who signed in, how and from where.
    await eventually(async () => {
      const url = `${harness.url('catalogue')}/management/v1/audit?format=ndjson`;
      const lines = (await (await send(url, owner)).text()).trim().split('\n');
      const signIns = lines
        .map((line) => auditEntry.parse(JSON.parse(line)))
        .filter(({ action }) => action === 'signIn');
      expect(signIns).toContainEqual(
        expect.objectContaining({
          after: { methods: ['hwk', 'user', 'mfa'] },
          address: expect.stringMatching(/./),
        }),
      );
      expect(signIns).toContainEqual(
        expect.objectContaining({
          object: `account:${member?.sub}`,
          after: { methods: [expect.stringMatching(/^fed/)] },
          address: expect.stringMatching(/./),
        }),
      );
    });

    // With another issuer in the settings, a service accepts its tokens alone.
    const { issuer: AUTH_ISSUER, jwksUrl: AUTH_JWKS_URL } = harness.tokens;
    const other = await harness.spawn('flags', { env: { AUTH_ISSUER, AUTH_JWKS_URL } });
    const operator = await harness.mint({ sub: 'operator', permissions: ['service.manage'] });
    const flags = `${other.url}/management/v1/projects/prj/flags`;
    expect([(await send(flags, operator)).status, (await send(flags, owner)).status]).toEqual([200, 401]);
  }, 180_000);
});
