import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '@switchboard/testkit';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';

export interface Site {
  /** Creates a visitor with separate storage. */
  visitor(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens a page of the site. */
  open(context: BrowserContext, path?: string): Promise<Page>;
}

interface SiteContent {
  /** Modules that become globals of each page, by name, as file URLs. */
  modules: Record<string, string>;
  /** Modules that `scripts[name]()` runs. */
  scripts: Record<string, string>;
  /** The HTML of the body. */
  body: string;
  /** The HTML of other pages, by path. */
  pages?: Record<string, string>;
  /** Returns the content security policy of each page. */
  policy?(): string;
}

/** Serves a site and opens it in a real browser. */
export function siteForTests(content: SiteContent): Site {
  const closing: (() => Promise<unknown>)[] = [];
  let origin = '';
  let visitor: Site['visitor'] = () =>
    Promise.reject(new Error('the browser is not started yet; it starts before the first test'));

  beforeAll(async () => {
    const scripts = await bundle(content);
    const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title><body>${content.body}<script type="module" src="/main.js"></script>`;
    const server = createServer(({ url = '/' }, response) => {
      const script = scripts.get(url.slice(1));
      response.setHeader('Content-Type', script === undefined ? 'text/html' : 'text/javascript');
      if (content.policy !== undefined) response.setHeader('Content-Security-Policy', content.policy());
      response.end(script ?? content.pages?.[url.split('?')[0] ?? ''] ?? page);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const browser = await openBrowser();
    closing.push(
      () => browser.close(),
      async () => void server.close(),
    );
    visitor = (options) => browser.newContext(options);
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  return {
    visitor: (options) => visitor(options),
    async open(context, path = '/') {
      const page = await context.newPage();
      await page.goto(`${origin}${path}`);
      await page.waitForFunction('globalThis.isLoaded');
      return page;
    },
  };
}

async function bundle({ modules, scripts }: SiteContent): Promise<Map<string, string>> {
  const code = new Map(Object.entries(scripts).map(([name, script]) => [`${name}.jsx`, script]));
  code.set(
    'main.js',
    [
      ...Object.entries(modules).map(
        ([name, url]) => `import * as ${name} from '${fileURLToPath(url)}'; globalThis.${name} = ${name};`,
      ),
      'globalThis.scripts = {};',
      ...Object.keys(scripts).map((name) => `scripts['${name}'] = () => import('${name}.jsx');`),
      'globalThis.isLoaded = true;',
    ].join('\n'),
  );
  const built = await rolldown({
    input: 'main.js',
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    plugins: [
      {
        name: 'page',
        // Resolves modules from this folder: its package has all dependencies that they import.
        resolveId: (id) => (code.has(id) ? join(import.meta.dirname, id) : null),
        load: (id) => (dirname(id) === import.meta.dirname ? code.get(basename(id)) : null),
      },
    ],
  });
  const { output } = await built.generate({ format: 'esm' });
  return new Map(output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk.code]] : [])));
}
