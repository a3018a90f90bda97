import { listen } from '@switchboard/http';
import { createLogger, httpUrl, integerSetting, parseConfig, shutDownInOrder } from '@switchboard/runtime';
import { z } from 'zod';
import { createConsole } from '../console-page.ts';
import { allowedHosts, localAccess } from '../local-access.ts';
import { passOn } from '../pass-on.ts';

const settings = z.object({
  HOST: z.string().default('::'),
  ALLOWED_HOSTS: z.string().optional().transform(allowedHosts),
  PORT: integerSetting({ min: 0, max: 65_535, fallback: 3000 }),
  CONSOLE_TARGET: httpUrl.default('http://console:3000'),
});

const GRACE_MS = 2000;

/** Serves the console, or a placeholder while it does not run. For one machine only: publish its port on loopback. */
export async function serveConsole(env: NodeJS.ProcessEnv): Promise<void> {
  const config = parseConfig(settings, env);
  const server = await listen({
    host: config.HOST,
    port: config.PORT,
    fetch: localAccess(passOn(config.CONSOLE_TARGET, createConsole().fetch).fetch, {
      hosts: config.ALLOWED_HOSTS,
      ownPagesOnly: true,
    }),
  });
  shutDownInOrder({
    log: createLogger({ service: 'console', level: 'warn' }),
    close: () => server.close(GRACE_MS),
  });
}
