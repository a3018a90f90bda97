import { join } from 'node:path';
import { identityService } from '@switchboard/service-identity';
import { createBrowser, type TestBrowser } from '@switchboard/service-identity/testing';
import { eventually, type Harness, openHarness, type Program, serviceCommand } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Gateway, gatewayPorts, hasCaddy, startGateway } from '../harness/gateway.ts';
import { isNextVersion, writeNextVersion } from '../upgrade/next-version.ts';
import { requestCode } from './authorization.ts';

const PERSON = { name: 'Ada Owner', email: 'ada@acme.example', password: 'three lazy walruses in Trieste' };
const SESSIONS = 6;
const tokenAnswer = z.object({ refresh_token: z.string().optional(), error: z.string().optional() });

interface Session {
  browser: TestBrowser;
  refreshToken: string;
  /** How often a refresh was refused, so that the browser got new tokens without a sign-in. */
  renewed: number;
}

let harness: Harness;
let gateway: Gateway;
let instances: Program[];

/** Gets tokens as the console does. With `none`, the provider may not show a page. */
async function tokensOf(browser: TestBrowser, prompt: 'login' | 'none'): Promise<string> {
  const { url, exchange } = requestCode(gateway.api, { prompt });
  await browser.open(url);
  if (prompt === 'login') await browser.submit(PERSON);
  const code = new URL(browser.url).searchParams.get('code');
  if (code === null) throw new Error(`no code: ${browser.status} ${browser.url}`);
  const answer = await token(exchange(code));
  if (answer.refresh_token === undefined) throw new Error(`no tokens: ${answer.error}`);
  return answer.refresh_token;
}

async function token(parameters: Record<string, string>): Promise<z.infer<typeof tokenAnswer>> {
  const response = await fetch(`${gateway.api}/identity/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'console', ...parameters }),
  });
  if (response.status >= 500) throw new Error(`status ${response.status}`);
  return tokenAnswer.parse(await response.json());
}

const signIn = () =>
  eventually(async (): Promise<Session> => {
    const browser = createBrowser(gateway.api);
    return { browser, refreshToken: await tokensOf(browser, 'login'), renewed: 0 };
  });

/** Refreshes once. Fails only if the person would have to sign in again. */
const refresh = (session: Session) =>
  eventually(async () => {
    const { refresh_token } = await token({
      grant_type: 'refresh_token',
      refresh_token: session.refreshToken,
    });
    if (refresh_token === undefined) session.renewed++;
    session.refreshToken = refresh_token ?? (await tokensOf(session.browser, 'none'));
  });

describe.skipIf(!hasCaddy())('two instances of identity', () => {
  beforeAll(async () => {
    const ports = await gatewayPorts();
    const issuer = `http://127.0.0.1:${ports.api}/identity`;
    harness = await openHarness({
      services: { identity: identityService },
      env: {
        LOG_LEVEL: 'info',
        AUTH_ISSUER: issuer,
        AUTH_JWKS_URL: `${issuer}/jwks`,
        ACCOUNT_SECRET: 'the account secret of a test with 32 or more characters',
        RATE_LIMITS_MULTIPLIER: '100',
        TRUSTED_PROXY_HOPS: '1',
      },
    });
    await harness.spawn('catalogue');
    instances = await Promise.all([harness.spawn('identity'), harness.spawn('identity')]);
    const upstreams = new Map([['identity' as const, instances.map(({ url }) => url)]]);
    gateway = await startGateway(upstreams, ports, harness.folder);
    const links = instances.flatMap((instance) => instance.records().flatMap(({ link }) => link ?? []));
    const browser = createBrowser(gateway.api);
    await browser.open(String(links[0]));
    await browser.submit(PERSON);
    expect(browser.status).toBe(200);
  });
  afterAll(async () => {
    await gateway?.stop();
    await harness?.stop();
  });

  it.each([
    { by: 'a SIGTERM', signal: 'SIGTERM' },
    { by: 'a SIGKILL', signal: 'SIGKILL' },
    { by: 'an upgrade with a migration', signal: 'SIGTERM', isUpgrade: true },
  ] as const)(
    'keep every session when $by restarts one after the other, while people sign in and refresh tokens',
    async ({ signal, ...how }) => {
      const isUpgrade = 'isUpgrade' in how;
      const folder = join(harness.folder, 'next');
      const database = await harness.databaseUrl('identity');
      if (isUpgrade) await writeNextVersion(folder, ['identity'], () => database);
      const sessions = await Promise.all(Array.from({ length: SESSIONS }, signIn));
      let isOver = false;
      const refreshing = Promise.all(
        sessions.map(async (session) => {
          while (!isOver) await refresh(session);
        }),
      );
      const signingIn = (async () => {
        while (!isOver) sessions.push(await signIn());
      })();
      for (const instance of instances) {
        await instance.kill(signal);
        await instance.restart(isUpgrade ? { command: await serviceCommand('identity', { folder }) } : {});
      }
      expect(await isNextVersion(database)).toBe(isUpgrade);
      isOver = true;
      await Promise.all([refreshing, signingIn]);

      expect(sessions.length).toBeGreaterThan(SESSIONS);
      for (const session of sessions) {
        await refresh(session);
        await tokensOf(session.browser, 'none');
      }
      expect(sessions.map(({ renewed }) => renewed)).toEqual(sessions.map(() => 0));
    },
    180_000,
  );
});
