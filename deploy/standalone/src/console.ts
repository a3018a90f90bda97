import { createHealth, createLogger, createMetrics, parseConfig } from '@switchboard/runtime';
import { createConsole } from '@switchboard/service-console';
import { readAssets } from '@switchboard/service-console/assets';
import { buildWeb } from '@switchboard/service-console/build';
import { consoleSettings } from '@switchboard/service-console/config';
import { hasSessionCookie } from '@switchboard/service-console/cookies';
import { Hono } from 'hono';
import type { Addresses } from './addresses.ts';
import { managementUrls } from './gateway.ts';

interface ConsoleOptions {
  urls: Addresses['urls'];
  env: Record<string, string | undefined>;
  /** Returns the address of a report's public page, or undefined while its link is off. */
  findReport(projectId: string, reportId: string): Promise<string | undefined>;
}

const AGAIN =
  '<!doctype html><html lang="en"><title>Switchboard</title><meta http-equiv="refresh" content="0">';
const AGAIN_HEADERS = { 'Cache-Control': 'no-store', 'Content-Security-Policy': "default-src 'none'" };

/**
 * Opens the console. An image has its application in WEB_FOLDER. A checkout builds it once and keeps it. Links in
 * mails lead to reports, and people without a session on to their public pages.
 */
export async function openConsole({ urls, env, findReport }: ConsoleOptions): Promise<Hono> {
  const config = parseConfig(consoleSettings, {
    LOG_LEVEL: 'warn',
    ...env,
    CONSOLE_URL: urls.console,
    PUBLIC_API_URL: urls.api,
    PUBLIC_EVENTS_URL: urls.events,
    PUBLIC_REPLAY_URL: urls.replay,
    OIDC_ISSUER: `${urls.api}/identity`,
    MANAGEMENT_URLS: JSON.stringify(managementUrls(urls.management)),
    OIDC_SCOPES: 'openid profile email offline_access api',
  });
  const health = createHealth();
  health.started();
  const console = createConsole({
    config,
    assets: await readAssets(env['WEB_FOLDER'] ?? (await buildWeb())),
    health,
    logger: createLogger({ service: 'console', level: config.LOG_LEVEL }),
    metrics: createMetrics('console'),
  });
  const app = new Hono();
  app.get('/projects/:projectId/reports/:reportId', async (c, next) => {
    if (hasSessionCookie(c)) return next();
    // A browser sends the cookie only from a page of this site, so a link in a web mail is opened again from here.
    if (c.req.header('sec-fetch-site') === 'cross-site') return c.html(AGAIN, 200, AGAIN_HEADERS);
    const found = await findReport(c.req.param('projectId'), c.req.param('reportId'));
    return found === undefined ? next() : c.redirect(found, 303);
  });
  return app.route('/', console);
}
