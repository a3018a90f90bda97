import { AUDIT_TOPIC } from '@switchboard/audit';
import { runInProcess } from '@switchboard/cli/testing';
import { auditEntry } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authorize, discover } from '../testing/application.ts';
import type { TestBrowser } from '../testing/browser.ts';
import { type IdentityHarness, OWNER, startIdentity } from '../testing/harness.ts';

let identity: IdentityHarness;
let owner: TestBrowser;
let config: client.Configuration;
beforeAll(async () => {
  identity = await startIdentity();
  owner = await identity.setUp();
  config = await discover(identity.issuer);
});
afterAll(() => identity.stop());

const signIn = async () => (await authorize(config, owner))();

/** Returns the name in a token, as a service reads it that fetches the keys now. */
async function verified(token: string) {
  const keys = createRemoteJWKSet(new URL(`${identity.issuer}/jwks`));
  const { payload } = await jwtVerify(token, keys, { issuer: identity.issuer, typ: 'at+jwt' });
  return payload['name'];
}
const keyOf = (token: string) => decodeProtectedHeader(token).kid;

const command =
  (...args: string[]) =>
  (token: string) =>
    runInProcess(['signing-keys', ...args, '--json'], {
      SWITCHBOARD_URL: identity.origin,
      SWITCHBOARD_TOKEN: token,
    });

it('keeps signing with the previous key for an hour after a rotation, and publishes both', async () => {
  const { access_token: token } = await signIn();
  const { code, out } = await command('rotate')(token);
  expect(code).toBe(0);
  const { id, signsFrom } = JSON.parse(out);
  // The first key of a deployment signs from the start, and is less than an hour old.
  expect(id).toBe(keyOf(token));
  expect(Date.parse(signsFrom)).toBeLessThanOrEqual(Date.now());
  await identity.sql`update signing_keys set created_at = created_at - interval '1 day'`;
  const rotated = JSON.parse((await command('rotate')(token)).out);
  expect(rotated.id).not.toBe(id);
  expect(Date.parse(rotated.signsFrom)).toBeGreaterThan(Date.now() + 3_500_000);
  const { access_token: next } = await signIn();
  expect(keyOf(next)).toBe(id);
  expect([await verified(token), await verified(next)]).toEqual([OWNER.name, OWNER.name]);
});

it('refuses tokens of revoked keys, signs with the new key at once, and keeps refresh tokens', async () => {
  const { access_token: token, refresh_token = '' } = await signIn();
  const { code, out } = await command('rotate', '--revoke')(token);
  expect(code).toBe(0);
  const { id } = JSON.parse(out);
  await expect(verified(token)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  const { access_token: next } = await client.refreshTokenGrant(config, refresh_token);
  expect([keyOf(next), await verified(next)]).toEqual([id, OWNER.name]);
  expect((await identity.sql`select id from signing_keys`).map((row) => row['id'])).toEqual([id]);

  await eventually(async () => {
    const entries = (await identity.topic(AUDIT_TOPIC)).map(({ value }) => auditEntry.parse(value));
    expect(entries.find(({ after }) => JSON.stringify(after)?.includes(id))).toMatchObject({
      action: 'rotateSigningKeys',
      after: { id, revoke: true },
      outcome: 'allowed',
    });
  });
});

it('rejects a rotation without the permission, and a wrong command', async () => {
  const body = JSON.stringify({ revoke: true });
  const answer = await fetch(`${identity.origin}/management/v1/signing-keys/rotate`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  expect(answer.status).toBe(401);
  expect(await command('revoke')('some-token')).toMatchObject({
    code: 2,
    err: expect.stringContaining('usage: switchboard signing-keys rotate'),
  });
});
