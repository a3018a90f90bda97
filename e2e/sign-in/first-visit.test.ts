import type { ServiceName } from '@switchboard/contracts';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { collaborationService } from '@switchboard/service-collaboration';
import { buildWeb } from '@switchboard/service-console/build';
import { flagsService } from '@switchboard/service-flags';
import { identityService } from '@switchboard/service-identity';
import { ingestionService } from '@switchboard/service-ingestion';
import { messengerService } from '@switchboard/service-messenger';
import { eventually, hasChromium, openBrowser, openHarness, spawnService } from '@switchboard/testkit';
import { execa } from 'execa';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gatewayPorts, hasCaddy, startGateway } from '../harness/gateway.ts';
import { tabTo } from '../product/testing/console.ts';

const REGION = 'us';
const OWNER = { name: 'Ada Owner', email: 'ada@acme.example', password: 'correct horse battery staple' };
/** The services in this process. Identity and the console run in their own, as in a deployment. */
const services = {
  catalogue: catalogueService,
  collaboration: collaborationService,
  messenger: messengerService,
  flags: flagsService,
  ingestion: ingestionService,
  archive: archiveService,
  analytics: analyticsService,
};
const names = [
  'catalogue',
  'collaboration',
  'messenger',
  'flags',
  'ingestion',
  'archive',
  'analytics',
] as const;

/** Starts a deployment without accounts, companies and plans. */
async function deploy() {
  const ports = await gatewayPorts();
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const issuer = `${url(ports.api)}/identity`;
  const hosts = {
    CONSOLE_URL: url(ports.console),
    PUBLIC_API_URL: url(ports.api),
    PUBLIC_EVENTS_URL: url(ports.events),
    PUBLIC_REPLAY_URL: url(ports.replay),
    TRUSTED_PROXY_HOPS: '1',
  };
  const harness = await openHarness({
    services: { ...services, identity: identityService },
    env: {
      ...hosts,
      REGION,
      LOG_LEVEL: 'info',
      AUTH_ISSUER: issuer,
      AUTH_JWKS_URL: `${issuer}/jwks`,
      ACCOUNT_SECRET: 'the account secret of a test with 32 or more characters',
    },
  });
  // Each waits for the directory, which the catalogue creates.
  const [identity] = await Promise.all([
    harness.spawn('identity', { readyWithinMs: 180_000 }),
    ...names.map((name) => harness.start(name, { LOG_LEVEL: 'silent' })),
  ]);
  const addresses = {
    identity: identity.url,
    ...Object.fromEntries(names.map((name) => [name, harness.url(name)])),
  };
  const console = await spawnService('console', {
    env: {
      ...hosts,
      OIDC_ISSUER: issuer,
      OIDC_SCOPES: 'openid profile email offline_access api',
      OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
      SESSION_SECRET: 'the session secret of a test with 32 or more characters',
      MANAGEMENT_URLS: JSON.stringify(addresses),
      WEB_FOLDER: await buildWeb(),
    },
    readyWithinMs: 180_000,
  });
  const upstreams = new Map<ServiceName, string[]>([['identity', [identity.url]]]);
  for (const name of names) upstreams.set(name, [harness.url(name)]);
  const gateway = await startGateway(upstreams, ports, harness.folder, {
    CONSOLE_UPSTREAMS: new URL(console.url).host,
  });
  return {
    /** Returns the link that identity logs while there is no account. */
    setUpLink: () =>
      eventually(() => z.string().parse(identity.records().find((record) => 'link' in record)?.['link'])),
    async stop(): Promise<void> {
      await gateway.stop();
      await console.stop();
      await harness.stop();
    },
  };
}

/** How a person works the page. */
interface Hands {
  press(target: Locator): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  choose(field: Locator, title: string): Promise<void>;
}

const mouse: Hands = {
  press: (target) => target.click(),
  type: (field, text) => field.fill(text),
  async choose(field, title) {
    await field.selectOption({ label: title });
  },
};

const keyboardOf = (page: Page): Hands => ({
  async press(target) {
    await tabTo(page, target);
    await page.keyboard.press('Enter');
  },
  async type(field, text) {
    await tabTo(page, field);
    await page.keyboard.type(text);
  },
  async choose(field, title) {
    await tabTo(page, field);
    await page.keyboard.type(title);
  },
});

describe.skipIf(!hasCaddy() || !hasChromium)('the first visit of a new self-hoster', () => {
  let browser: Browser;
  let deployment: Awaited<ReturnType<typeof deploy>> | undefined;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  // A second try of a test gets a deployment of its own too: a company hides the form that creates the first one.
  beforeEach(async () => {
    deployment = await deploy();
  });
  afterEach(async () => {
    await deployment?.stop();
    deployment = undefined;
  });

  it.each(['mouse', 'keyboard'] as const)(
    'goes from the set-up link to the first event, by %s alone',
    async (by) => {
      const link = z.string().parse(await deployment?.setUpLink());
      const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const problems: string[] = [];
      page.on('pageerror', ({ message }) => problems.push(message));
      const { press, type, choose } = by === 'mouse' ? mouse : keyboardOf(page);
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const field = (name: string) => page.getByLabel(name, { exact: true });
      const startedAt = performance.now();

      // The account.
      await page.goto(link);
      await type(field('Name'), OWNER.name);
      await type(field('Email'), OWNER.email);
      await type(field('Password'), OWNER.password);
      await press(button('Create account'));
      await press(page.getByRole('link', { name: 'Open the console' }));

      // The company and the project.
      await page.getByRole('heading', { name: 'Create the first project' }).waitFor();
      await type(field('Company'), 'Acme');
      await type(field('Project'), 'Web shop');
      expect(await field('Region').inputValue()).toBe(REGION);
      expect(await field('Your email').count()).toBe(0);
      await press(button('Create project'));

      // The code, as it is shown.
      await page.getByRole('heading', { name: 'Project keys' }).waitFor();
      await choose(field('Platform'), 'Shell');
      await page.getByRole('region', { name: 'the snippet' }).getByText('curl').waitFor();
      await press(button('Copy the snippet'));
      await button('Copied').waitFor();
      const code = z.string().parse(await page.evaluate('navigator.clipboard.readText()'));

      // The event, on the page that the code leads to.
      await press(page.getByRole('link', { name: 'Open live events, then run the code' }));
      await page.getByText('Live', { exact: true }).waitFor();
      const sent = await execa('bash', ['-c', code]);
      expect(JSON.parse(sent.stdout)).toMatchObject({ accepted: 1 });
      await button('hello').waitFor();
      const seconds = (performance.now() - startedAt) / 1000;
      process.stdout.write(`first visit by ${by}: ${seconds.toFixed(1)} s\n`);

      // Home ticks the step.
      await press(page.getByRole('link', { name: 'Home', exact: true }));
      const step = page.getByRole('listitem').filter({ hasText: 'Send the first event' });
      await step.getByRole('img', { name: 'Done' }).waitFor();
      expect(problems).toEqual([]);
      // The member has the address of the account.
      const { origin, pathname } = new URL(page.url());
      await page.goto(`${origin}${pathname.replace(/\/$/, '')}/settings/members`);
      await page.getByText(OWNER.email).first().waitFor();
      await context.close();
    },
  );
});
