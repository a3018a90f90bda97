import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documented, eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import { execa } from 'execa';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { archivedEvents } from './testing/archived.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
const INSTALLED = [
  'browser',
  'replay',
  'messenger',
  'react',
  'node',
  'management',
  'openfeature-web',
  'openfeature-server',
];
const HEAD = '<!doctype html><title>Shop</title><link rel="icon" href="data:,">';
const indexJson = z.object({
  scripts: z.record(z.string(), z.object({ url: z.string(), integrity: z.string() })),
});

/** Serves a page at a separate origin. */
async function serve(files: Record<string, string>): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const name = url.slice(1) || 'index.html';
    response.setHeader('Content-Type', name.endsWith('.js') ? 'text/javascript' : 'text/html');
    if (files[name] === undefined) response.statusCode = 404;
    response.end(files[name] ?? '');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const settings = () => {
  const { base_url, eu_api_url, eu_replay_url, project_key } = running.demo;
  return JSON.stringify({
    key: project_key,
    host: base_url,
    eventsHost: eu_api_url,
    replayHost: eu_replay_url,
  });
};

test('the start page shows the script and the npm command with the addresses of this deployment', async () => {
  const { base_url } = running.demo;
  const page = await (await fetch(base_url, { headers: { Accept: 'text/html' } })).text();
  expect(page).toContain(`src=&quot;${base_url}/sdk/browser.js&quot;&gt;&lt;/script&gt;`);
  expect(page).toContain(`npm install ${base_url}/sdk/browser.tgz`);
});

describe.skipIf(!hasChromium)('the SDKs in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  async function open(address: string) {
    const context = await browser.newContext({ locale: 'de-DE' });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const errors: string[] = [];
    const loaded: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('response', (response) => {
      if (response.url().includes('/sdk/')) loaded.push(response.url().replace(/^.*\/sdk\//, ''));
    });
    await page.goto(address);
    return { page, errors, loaded };
  }

  /** Verifies that the page tracked an event, recorded itself, and showed the messenger in the visitor's language. */
  async function works(page: Page, errors: string[]) {
    const id = String(await page.evaluate('tracked'));
    await page.waitForFunction('recording?.stop && messenger?.open');
    await page.evaluate('messenger.open()');
    await page.getByRole('button', { name: 'Chat schließen' }).first().waitFor();
    expect(errors).toEqual([]);
    await eventually(
      async () => expect((await archivedEvents(running.home, running.demo.project_id)).get(id)).toBe(1),
      { withinMs: 60_000 },
    );
  }

  test.each(['short', 'hashed'])(
    'a page without a bundler loads the script from its %s address',
    async (kind) => {
      const { base_url } = running.demo;
      const index = indexJson.parse(await (await fetch(`${base_url}/sdk/index.json`)).json());
      const { url, integrity } = index.scripts['browser.js'] ?? { url: '', integrity: '' };
      const script =
        kind === 'short'
          ? `<script src="${base_url}/sdk/browser.js"></script>`
          : `<script src="${url}" integrity="${integrity}" crossorigin></script>`;
      const html = `${HEAD}<body><p>Shop</p>${script}<script>
      var tracked, recording, messenger;
      const client = switchboard.init(${settings()});
      tracked = client.track('script installed');
      function add() {
        switchboard.startReplay(client).then((replay) => { recording = replay; });
        switchboard.startMessenger(client).then((widget) => { messenger = widget; });
      }</script>`;
      const { page, errors, loaded } = await open(await serve({ 'index.html': html }));
      expect(await page.evaluate('switchboard.VERSION')).toBe('0.1.0');
      expect(loaded).toHaveLength(1);
      await page.evaluate('add()');
      await works(page, errors);
      expect(loaded.map((name) => name.replace(/\.[0-9a-f]{16}/, '')).sort()).toEqual([
        'browser.js',
        'messenger-de.js',
        'messenger.js',
        'replay.js',
      ]);
    },
  );

  test('a page with a script from before the upgrade still loads replay and messenger', async () => {
    const { base_url } = running.demo;
    const before = (await (await fetch(`${base_url}/sdk/browser.js`)).text()).replaceAll(
      /(replay|messenger)\.[0-9a-f]{16}\.js/g,
      '$1.0000000000000000.js',
    );
    const html = `${HEAD}<body><script src="/sdk/browser.js"></script>`;
    const site = await serve({ 'index.html': html, 'sdk/browser.js': before });
    const { page, errors } = await open(site);
    expect(
      await page.evaluate(
        `import('${base_url}/sdk/replay.0000000000000000.js').then((script) => typeof script.startReplay)`,
      ),
    ).toBe('function');
    expect(errors).toEqual([]);
    // The page's own host does not have the script. This must not throw.
    expect(await page.evaluate(`switchboard.startReplay(switchboard.init(${settings()}))`)).toBeUndefined();
  });

  test('npm installs the packages as their READMEs say, and a bundler and the compiler accept them', async () => {
    const { base_url } = running.demo;
    const folder = await mkdtemp(join(tmpdir(), 'sdk-install-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const npm = (...args: string[]) => execa('npm', [...args, '--no-audit', '--no-fund'], { cwd: folder });
    await writeFile(join(folder, 'package.json'), '{"name":"shop","private":true,"type":"module"}');
    const commands = INSTALLED.map((name) => documented(`packages/sdk/${name}/README.md`, 'sh').trim());
    const packages = commands.flatMap((command) => command.replace('npm install ', '').split(' '));
    const installed = new Set(packages.map((one) => one.replace('https://api.example.com', base_url)));
    await npm('install', ...installed, '@types/react');
    await rm(join(folder, 'node_modules'), { recursive: true });
    await npm('ci');
    const lock = z
      .object({ packages: z.record(z.string(), z.object({ resolved: z.string().optional() })) })
      .parse(JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')));
    const ours = Object.entries(lock.packages).filter(([path]) => path.includes('@switchboard/'));
    expect(ours.map(([path, { resolved }]) => [path, resolved]).sort()).toEqual(
      [...INSTALLED, 'flag-engine']
        .sort()
        .map((name) => [`node_modules/@switchboard/${name}`, `${base_url}/sdk/${name}.tgz`]),
    );

    const source = `import { type Client, init } from '@switchboard/browser';
      import { SwitchboardProvider } from '@switchboard/react';
      const client: Client = init(${settings()});
      export const provider: typeof SwitchboardProvider = SwitchboardProvider;
      Object.assign(globalThis, { tracked: client.track('package installed'), recording: null, messenger: null });
      const { startReplay } = await import('@switchboard/replay');
      const { startMessenger } = await import('@switchboard/messenger');
      Object.assign(globalThis, { recording: startReplay(client), messenger: startMessenger(client) });`;
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src/main.ts'), source);
    const tsc = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
    const options = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom',
      '--noEmit',
    ];
    await execa(process.execPath, [tsc, ...options, 'src/main.ts'], { cwd: folder });

    const built = await rolldown({
      cwd: folder,
      input: 'src/main.ts',
      platform: 'browser',
      logLevel: 'silent',
    });
    const { output } = await built.generate({ format: 'esm', minify: true });
    await built.close();
    const chunks = output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk.code]] : []));
    const html = `${HEAD}<body><p>Shop</p><script type="module" src="/main.js"></script>`;
    const site = await serve({ ...Object.fromEntries(chunks), 'index.html': html });
    const { page, errors, loaded } = await open(site);
    await page.waitForFunction('globalThis.tracked');
    await works(page, errors);
    expect(loaded).toEqual([]);

    const program = `import { createClient } from '@switchboard/node';
      import { createClient as manage } from '@switchboard/management';
      const client = createClient({ ...${settings()}, folder: false });
      console.log(await client.flags.ready(), typeof await client.track('ada', 'installed'), typeof manage);
      await client.close();`;
    const { stdout } = await execa('node', ['--input-type=module', '-e', program], { cwd: folder });
    expect(stdout).toBe('true string function');
  }, 180_000);
});
