import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openPostgresLog, readTopic } from '@switchboard/event-log';
import { createLogger } from '@switchboard/runtime';
import { type Env, eventually, freePort, openHarness } from '@switchboard/testkit';
import PostalMime from 'postal-mime';
import postgres from 'postgres';
import { identityService } from '../service.ts';
import { createBrowser } from './browser.ts';

export type IdentityHarness = Awaited<ReturnType<typeof startIdentity>>;

export const PASSWORD = 'three lazy walruses in Trieste';
export const CALLBACK = 'https://console.example/signed-in';
export const OWNER = { name: 'Ada Owner', email: 'ada@acme.example', password: PASSWORD };

interface StartOptions {
  env?: Env;
  /** Returns further settings for the origin of the service. */
  envOf?(origin: string): Promise<Env>;
  clock?: { now(): Date };
}

/** Starts the service as its own issuer. */
export async function startIdentity({ env = {}, envOf, clock }: StartOptions = {}) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const issuer = `${origin}/identity`;
  const harness = await openHarness({
    services: { identity: identityService },
    env: {
      AUTH_ISSUER: issuer,
      AUTH_JWKS_URL: `${issuer}/jwks`,
      ACCOUNT_SECRET: 'the account secret of a test with 32 or more characters',
      RATE_LIMITS_MULTIPLIER: '100',
      ...env,
      ...(await envOf?.(origin)),
    },
    ...(clock === undefined ? {} : { clock }),
  });
  const log = openPostgresLog({ url: harness.logUrl });
  harness.defer(() => log.close());
  const directory = await createDirectoryPublisher(log);
  const links: string[] = [];
  const destination = {
    write: (line: string) => void links.push(...(/"link":"([^"]+)"/.exec(line)?.slice(1) ?? [])),
  };
  const logger = createLogger({ service: 'identity', level: 'info', destination });
  const start = (more: Env = {}, at = 0) => harness.start('identity', more, { port: at, logger });
  let running = await start({}, port);
  const sql = postgres(await harness.databaseUrl('identity'), { max: 2, onnotice: () => undefined });
  harness.defer(() => sql.end({ timeout: 1 }));

  /** Stops the service and starts it with other settings. */
  async function restart(more: Env): Promise<void> {
    await running.stop();
    running = await start(more, port);
  }

  const setUpLink = () => eventually(async () => links.at(-1) ?? Promise.reject(new Error('no link')));

  /** Creates the first owner with the printed link. Returns the browser that did. */
  async function setUp(owner = OWNER) {
    const link = await setUpLink();
    const browser = createBrowser(origin);
    await browser.open(link);
    await browser.submit(owner);
    return browser;
  }

  /** Waits for the newest e-mail to an address that has a link. */
  async function mail(to: string) {
    const folder = harness.env['MAIL_DIR'] ?? '';
    return eventually(async () => {
      const names = (await readdir(folder))
        .filter((name) => name.endsWith('.eml'))
        .sort()
        .reverse();
      for (const name of names) {
        const parsed = await PostalMime.parse(await readFile(join(folder, name)));
        const [, link] = /(http:\S+)/.exec(parsed.text ?? '') ?? [];
        if (parsed.to?.[0]?.address === to && link !== undefined) return { ...parsed, link };
      }
      throw new Error(`no e-mail to ${to}`);
    });
  }

  const mailedLink = async (to: string): Promise<string> => (await mail(to)).link;

  async function topic(name: string) {
    const found: { key: string; value: unknown }[] = [];
    await readTopic(log, name, {
      onRecord: ({ key, value }) =>
        found.push({ key: String(key), value: value && JSON.parse(String(value)) }),
    });
    return found;
  }

  return {
    harness,
    topic,
    mail,
    mailedLink,
    issuer,
    origin,
    start,
    restart,
    directory,
    sql,
    links,
    setUp,
    setUpLink,
    browser: () => createBrowser(origin),
    stop: harness.stop,
  };
}
