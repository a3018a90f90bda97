import { testMember } from '@switchboard/directory/testing';
import { type AccessTokens, accessTokens, eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IdentityHarness, PASSWORD, startIdentity } from '../testing/harness.ts';

let identity: IdentityHarness;
let tokens: AccessTokens;
beforeAll(async () => {
  // Signs tokens for the issuer of the service, without a sign-in.
  tokens = await accessTokens();
  identity = await startIdentity({
    env: { AUTH_JWKS_URL: tokens.jwksUrl, AUTH_AUDIENCE: tokens.audience },
  });
  await identity.setUp();
  for (const role of ['admin', 'owner'] as const)
    await identity.directory.put('member', testMember('acme', `sub-${role}`, { role }));
});
afterAll(async () => {
  await identity.stop();
  await tokens.stop();
});

async function ask(role: 'admin' | 'owner', method: string, path = '', body?: object) {
  const claims = { sub: `sub-${role}`, name: `The ${role}`, issuer: identity.issuer };
  const token = await tokens.mint(claims);
  const response = await fetch(`${identity.origin}/v1/companies/acme/invitations${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Accept-Language': 'de',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

it('is sent by an administrator through the API, in their language, and listed until it is accepted', async () => {
  const sent = await ask('admin', 'POST', '', { email: 'Grace@acme.example', role: 'editor' });
  expect([sent.status, sent.body]).toMatchObject([201, { email: 'grace@acme.example', role: 'editor' }]);
  const mail = await identity.mail('grace@acme.example');
  expect([mail.subject, mail.text]).toEqual([
    expect.stringContaining('Einladung'),
    expect.stringContaining('The admin'),
  ]);
  expect(mail.link).not.toContain(sent.body.id);
  expect((await ask('admin', 'GET')).body).toEqual({ invitations: [sent.body] });
  expect((await ask('owner', 'GET')).body).toEqual({ invitations: [sent.body] });
  const browser = identity.browser();
  await browser.open(mail.link);
  await browser.submit({ name: 'Grace', password: PASSWORD });
  await eventually(async () =>
    expect(await identity.sql`select 1 from accounts where email = 'grace@acme.example'`).toHaveLength(1),
  );
  expect((await ask('admin', 'GET')).body).toEqual({ invitations: [] });
});

it('makes an administrator only if an owner sends it', async () => {
  const invitation = { email: 'ada@other.example', role: 'admin' };
  expect((await ask('admin', 'POST', '', invitation)).status).toBe(403);
  expect((await ask('owner', 'POST', '', invitation)).status).toBe(201);
  expect((await ask('owner', 'POST', '', { email: 'no address', role: 'viewer' })).status).toBe(400);
});

it('is worth nothing once it is withdrawn, which an owner does for roles above editor', async () => {
  const { body } = await ask('admin', 'POST', '', { email: 'olga@acme.example', role: 'viewer' });
  const link = await identity.mailedLink('olga@acme.example');
  const [ofAdmin] = (await ask('admin', 'GET')).body.invitations;
  expect(ofAdmin).toMatchObject({ email: 'ada@other.example', role: 'admin' });
  expect((await ask('admin', 'DELETE', `/${ofAdmin.id}`)).status).toBe(403);
  expect((await ask('owner', 'DELETE', `/${ofAdmin.id}`)).status).toBe(204);
  expect((await ask('admin', 'DELETE', '/none')).status).toBe(204);
  expect((await ask('admin', 'DELETE', `/${body.id}`)).status).toBe(204);
  expect((await ask('admin', 'GET')).body.invitations).toEqual([]);
  const browser = identity.browser();
  await browser.open(link);
  expect(browser.status).toBe(404);
});
