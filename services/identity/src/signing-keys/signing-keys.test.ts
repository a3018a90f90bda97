import { openDatabase } from '@switchboard/database';
import { createEncryption } from '@switchboard/runtime';
import { testDatabase } from '@switchboard/testkit';
import { createLocalJWKSet, decodeProtectedHeader, importJWK, jwtVerify, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { identityMigrations } from '../schema/migrations.ts';
import { createSigningKeys, type SigningKeys } from './signing-keys.ts';
import { createSigningKeysStore } from './store.ts';

const DAY_MS = 86_400_000;
let own: Awaited<ReturnType<typeof testDatabase>>;
let database: ReturnType<typeof openDatabase>;
let keys: SigningKeys;
let now = new Date('2026-03-01T00:00:00Z');
beforeAll(async () => {
  own = await testDatabase({ migrations: [identityMigrations] });
  database = openDatabase({ url: own.url, applicationName: 'test' });
  keys = createSigningKeys({
    store: createSigningKeysStore(database.drizzle),
    encryption: createEncryption({
      secrets: ['a secret of a test with 32 or more characters'],
      purpose: 'test',
    }),
    clock: { now: () => now },
  });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

/** Lets time pass and rotates. Returns the ids of the keys, the one that signs first. */
async function after(ms: number): Promise<(string | undefined)[]> {
  now = new Date(now.getTime() + ms);
  await keys.rotate();
  return (await keys.read()).map(({ kid }) => kid);
}

it('makes one key, also for two instances at once, and stores it encrypted', async () => {
  await Promise.all([keys.rotate(), keys.rotate()]);
  const [key] = await keys.read();
  expect(await keys.read()).toHaveLength(1);
  const rows = JSON.stringify(await database.sql`select * from signing_keys`);
  expect(rows).not.toContain(key?.['d']);
});

it('signs with a new key at once when the others are revoked, as after a leak', async () => {
  const [leaked] = await after(0);
  const { id, signsFrom } = await keys.renew(true);
  expect(id).not.toBe(leaked);
  expect(signsFrom).toEqual(now);
  expect(await after(0)).toEqual([id]);
});

it('creates a key before it is due, which signs an hour later, and no second one until then', async () => {
  const [old] = await after(3_600_000);
  const renewed = await Promise.all([keys.renew(false), keys.renew(false)]);
  const [first, second] = renewed;
  expect(second).toEqual(first);
  expect(first?.signsFrom).toEqual(new Date(now.getTime() + 3_600_000));
  expect(await after(0)).toEqual([old, first?.id]);
  expect(await after(3_600_000)).toEqual([first?.id, old]);
  expect(await after(DAY_MS)).toEqual([first?.id]);
});

it('publishes a new key before it signs, and keeps the old one until its tokens have expired', async () => {
  const [first] = await after(0);
  const [old] = await keys.read();
  if (old === undefined) throw new Error('no key');
  const signed = await new SignJWT({ sub: 'ada' })
    .setProtectedHeader({ alg: 'RS256', kid: first ?? '' })
    .sign(await importJWK(old, 'RS256'));

  const both = await after(90 * DAY_MS);
  expect(both[0]).toBe(first);
  expect(both).toHaveLength(2);
  const [, second] = both;
  expect(await after(3_600_000)).toEqual([second, first]);
  const published = (await keys.read()).map(({ kty = '', n = '', e = '', kid = '' }) => ({ kty, n, e, kid }));
  const known = createLocalJWKSet({ keys: published });
  expect((await jwtVerify(signed, known)).payload.sub).toBe('ada');
  expect(decodeProtectedHeader(signed).kid).toBe(first);
  expect(await after(DAY_MS)).toEqual([second]);
});
