import type { Encryption } from '@switchboard/runtime';
import { Hono } from 'hono';
import type { Assets } from './assets/assets.ts';
import type { Hosts } from './assets/policy.ts';
import { assetsRoutes } from './assets/routes.ts';
import { createCookies } from './session/cookies.ts';
import { createProvider, type ProviderOptions } from './session/provider.ts';
import { createRenewals } from './session/renewals.ts';
import { sessionRoutes } from './session/routes.ts';

interface ConsoleOptions extends ProviderOptions {
  assets: Assets;
  hosts: Hosts;
  encryption: Encryption;
}

/** Creates the console: the application's files, and the session of the person who uses it. */
export function createConsole({ assets, hosts, encryption, ...options }: ConsoleOptions): Hono {
  const app = new Hono();
  const provider = createProvider(options);
  const { consoleUrl } = options;
  const cookies = createCookies(encryption, consoleUrl.startsWith('https:'));
  sessionRoutes(app, { provider, renew: createRenewals(provider), cookies, consoleUrl, hosts });
  assetsRoutes(app, { assets, hosts });
  return app;
}
