import { isForeignPage, type PreparedDemo } from '@switchboard/demo';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Addresses } from '../addresses.ts';
import { asset } from './assets.ts';
import { createDemoState, type DemoState } from './demo-state.ts';
import { drawing, guidePage, guides, missingPage } from './guides.ts';
import { mailPage, readMails } from './mails.ts';
import { shopPage } from './shop-page.ts';
import { startPage } from './start-page.ts';

interface PagesOptions {
  urls: Addresses['urls'];
  home: string;
  /** Whether only this machine is served. Otherwise, mails are hidden and flags cannot be switched. */
  isLocal: boolean;
}

export interface Pages {
  app: Hono<{ Bindings: object }>;
  /** Returns the response to a browser that requested an unknown page, or undefined for other clients. */
  missing(c: Context): Response | undefined;
  /** Returns the address of a report's public page, or undefined while its link is off. */
  findReport(projectId: string, reportId: string): Promise<string | undefined>;
  /** Sets the demo to show. Until then, the addresses respond as services do. */
  show(demo: PreparedDemo): void;
}

const MAX_IDS = 50;
const ids = z
  .string()
  .transform((list) => list.split(','))
  .pipe(z.array(z.string().min(1).max(200)).max(MAX_IDS));
const answered = z.strictObject({
  distinctId: z.string().min(1).max(200),
  body: z.string().trim().min(1).max(1000),
});
const switched = z.strictObject({ enabled: z.boolean() });

const isBrowser = (c: Context) =>
  c.req.method === 'GET' && /\btext\/html\b/.test(c.req.header('accept') ?? '');

/** Creates the start page `/`, for browsers, the shop `/demo`, and the documentation `/guides`. */
export function createPages({ urls, home, isLocal }: PagesOptions): Pages {
  const app = new Hono<{ Bindings: object }>();
  let shown: { prepared: PreparedDemo; state: DemoState } | undefined;
  const policy = policyFor(Object.values(urls));

  const page = (c: Context, html: unknown, contentPolicy = policy, status: 200 | 404 = 200): Response =>
    c.html(String(html), status, {
      'Content-Security-Policy': contentPolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      Vary: 'Accept',
    });
  const refuse = (c: Context, status: 400 | 403 | 415, code: string, message: string) =>
    c.json({ error: { code, message } }, status);

  app.get('/', async (c, next) => {
    if (shown === undefined || !isBrowser(c)) return next();
    const mails = isLocal ? await readMails(home) : undefined;
    return page(c, startPage({ urls, home, mails, ...shown.prepared }));
  });
  app.get('/demo', (c, next) =>
    shown === undefined ? next() : page(c, shopPage({ urls, key: shown.prepared.demo.project_key, isLocal })),
  );
  app.get('/demo/assets/:file', async (c, next) => {
    const found = await asset(c.req.param('file'));
    if (found === undefined) return next();
    return c.body(found.text, 200, {
      'Content-Type': found.type,
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    });
  });
  app.get('/mails/:file', async (c, next) => {
    if (!isLocal) return next();
    const mail = (await readMails(home)).find(({ file }) => file === c.req.param('file'));
    return mail === undefined ? next() : page(c, mailPage(mail), MAIL_POLICY);
  });

  app.get('/guides/:name{.*}?', async (c, next) => {
    const name = c.req.param('name') ?? '';
    const guide = (await guides()).get(name);
    if (guide !== undefined) return page(c, guidePage(guide));
    const svg = await drawing(name);
    return svg === undefined
      ? next()
      : c.body(svg, 200, {
          'Content-Type': 'image/svg+xml',
          'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        });
  });

  // For the shop only.
  app.use('/demo/state/*', async (c, next) => {
    if (isForeignPage(c.req.raw))
      return refuse(c, 403, 'FORBIDDEN', 'Only pages of this address can call it.');
    c.header('Cross-Origin-Resource-Policy', 'same-origin');
    c.header('Cache-Control', 'no-store');
    return next();
  });
  app.get('/demo/state/flags', async (c, next) =>
    shown === undefined ? next() : c.json({ flags: await shown.state.flags() }),
  );
  app.get('/demo/state/events', async (c, next) => {
    const asked = ids.safeParse(c.req.query('ids'));
    if (!asked.success) return refuse(c, 400, 'BAD_REQUEST', `ids: 1 to ${MAX_IDS}, separated by commas`);
    return shown === undefined ? next() : c.json({ events: await shown.state.events(asked.data) });
  });
  app.get('/demo/state/people/:distinctId', async (c, next) => {
    if (!isLocal) return refuse(c, 403, 'FORBIDDEN', 'People are shown on a loopback address only.');
    return shown === undefined ? next() : c.json({ ids: await shown.state.idsOf(c.req.param('distinctId')) });
  });
  app.on(['PUT', 'POST'], '/demo/state/*', async (c, next) => {
    if (!isLocal) return refuse(c, 403, 'FORBIDDEN', 'The demo can only be changed from a loopback address.');
    if (!/^application\/json *(;|$)/i.test(c.req.header('content-type') ?? ''))
      return refuse(c, 415, 'BAD_REQUEST', 'Send the body as Content-Type: application/json.');
    return next();
  });
  app.put('/demo/state/flags/:key', async (c, next) => {
    if (shown === undefined) return next();
    const body = switched.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return refuse(c, 400, 'BAD_REQUEST', 'enabled: must be true or false');
    const found = await shown.state.setFlag(c.req.param('key'), body.data.enabled);
    return found ? c.json({ ok: true }) : next();
  });
  app.post('/demo/state/answers', async (c, next) => {
    if (shown === undefined) return next();
    const body = answered.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success)
      return refuse(c, 400, 'BAD_REQUEST', 'distinctId: required; body: must have 1 to 1000 characters');
    const found = await shown.state.answer(body.data.distinctId, body.data.body);
    return found ? c.json({ ok: true }) : next();
  });

  return {
    app,
    missing: (c) => (isBrowser(c) ? page(c, missingPage(c.req.path.slice(0, 200)), policy, 404) : undefined),
    findReport: async (projectId, reportId) => shown?.state.findReport(projectId, reportId),
    show: (prepared) => {
      shown = { prepared, state: createDemoState(urls, prepared.demo) };
    },
  };
}

/** Returns a policy: scripts and styles of this address only, and connections to Switchboard's own addresses. */
function policyFor(addresses: readonly string[]): string {
  const sockets = addresses.map((address) => address.replace(/^http/, 'ws'));
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...addresses].join(' '),
    ["connect-src 'self'", ...addresses, ...sockets].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const MAIL_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
