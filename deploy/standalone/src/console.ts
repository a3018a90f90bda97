import { createEncryption } from '@switchboard/runtime';
import { createConsole } from '@switchboard/service-console';
import { readAssets } from '@switchboard/service-console/assets';
import { buildWeb } from '@switchboard/service-console/build';
import { Hono } from 'hono';
import type { Addresses } from './addresses.ts';

interface ConsoleOptions {
  urls: Addresses['urls'];
  /** The folder of the built application. Default: it is built from this checkout, and kept. */
  folder: string | undefined;
  secret: string;
  /** Returns the address of a report's public page, or undefined while its link is off. */
  findReport(projectId: string, reportId: string): Promise<string | undefined>;
}

/** Opens the console. Links in mails lead to reports, and on to their public pages. */
export async function openConsole({ urls, folder, secret, findReport }: ConsoleOptions): Promise<Hono> {
  const app = new Hono();
  app.get('/projects/:projectId/reports/:reportId', async (c, next) => {
    const found = await findReport(c.req.param('projectId'), c.req.param('reportId'));
    return found === undefined ? next() : c.redirect(found, 303);
  });
  const web = createConsole({
    assets: await readAssets(folder ?? (await buildWeb())),
    hosts: { api: urls.api, events: urls.events, replay: urls.replay },
    encryption: createEncryption({ secrets: [secret], purpose: 'sessions of the console' }),
    issuer: `${urls.api}/identity`,
    clientId: 'console',
    clientSecret: undefined,
    scopes: 'openid profile email offline_access api',
    parameters: {},
    consoleUrl: urls.console,
    send: (url, init) => fetch(url, init),
  });
  return app.route('/', web);
}
