import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from '@switchboard/cli/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IdentityHarness, OWNER, startIdentity } from '../testing/harness.ts';

let identity: IdentityHarness;
let services: Server;
let url: string;
let folder: string;
/** The people of the valid tokens that the management API received. */
const seen: unknown[] = [];
beforeAll(async () => {
  identity = await startIdentity();
  folder = await mkdtemp(join(tmpdir(), 'switchboard-device-login-'));
  const keys = createRemoteJWKSet(new URL(`${identity.issuer}/jwks`));
  services = createServer(async ({ headers }, response) => {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    const verified = await jwtVerify(token, keys, { issuer: identity.issuer, typ: 'at+jwt' }).catch(
      () => undefined,
    );
    seen.push(verified?.payload['name']);
    response.writeHead(verified === undefined ? 401 : 403, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'FORBIDDEN', message: 'no' } }));
  });
  await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(services.address() as AddressInfo).port}`;
});
afterAll(async () => {
  services.close();
  await identity.stop();
  await rm(folder, { recursive: true, force: true });
});

it('signs the command in with a browser, keeps only a refresh token, and lets two commands run at once', async () => {
  const owner = await identity.setUp();
  const env = { XDG_CONFIG_HOME: folder, SWITCHBOARD_KEYCHAIN: 'off' };
  let allowing: Promise<void> | undefined;
  const allow = async (shown: string) => {
    const [, page = '', code = ''] = /Open (\S+) and enter the code (\S+)/.exec(shown) ?? [];
    await owner.open(page);
    await owner.submit({ user_code: code });
    await owner.submit({ confirm: 'yes' });
    expect(owner.html).toContain('The device is connected');
  };
  const login = await runInProcess(
    ['login', '--url', url, '--issuer', identity.issuer],
    env,
    undefined,
    (text) => {
      allowing ??= allow(text);
    },
  );
  await allowing;
  expect(login).toMatchObject({ code: 0, out: expect.stringContaining(`Logged in as ${OWNER.name}`) });
  const stored = JSON.parse(await readFile(join(folder, 'switchboard', 'login.json'), 'utf8'));
  expect(stored).toMatchObject({ issuer: identity.issuer, addresses: { SWITCHBOARD_URL: url } });

  const both = await Promise.all([runInProcess(['whoami'], env), runInProcess(['whoami'], env)]);
  for (const one of both) expect(one).toMatchObject({ code: 0, out: expect.stringContaining(OWNER.name) });
  expect(seen).toEqual([OWNER.name, OWNER.name, OWNER.name]);
  const after = JSON.parse(await readFile(join(folder, 'switchboard', 'login.json'), 'utf8'));
  expect(after.token).not.toBe(stored.token);

  await identity.sql`truncate oidc_records`;
  expect(await runInProcess(['whoami'], env)).toMatchObject({
    err: expect.stringContaining('login has ended'),
  });
});
