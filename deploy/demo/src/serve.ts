import { httpUrl, integerSetting, listen, parseConfig } from '@switchboard/service-kit';
import { Hono } from 'hono';
import { z } from 'zod';
import { demoFile, readIfThere } from './files.ts';
import { openIssuer } from './issuer.ts';
import { createConsole, createManagementFront, mountIssuer } from './stand-ins.ts';

const port = (fallback: number) => integerSetting({ min: 0, max: 65_535, fallback });

const settings = z.object({
  DEMO_HOME: z.string(),
  AUTH_ISSUER: z.string(),
  HOST: z.string().default('0.0.0.0'),
  PORT: port(3000),
  MANAGEMENT_PORT: port(3001),
  CONSOLE_PORT: port(3002),
  SWITCHBOARD_CATALOGUE_URL: httpUrl,
  SWITCHBOARD_COLLABORATION_URL: httpUrl,
  SWITCHBOARD_MESSENGER_URL: httpUrl,
  SWITCHBOARD_FLAGS_URL: httpUrl,
  SWITCHBOARD_INGESTION_URL: httpUrl,
});

const FINISH_MS = 2000;

/**
 * Serves an issuer that gives a token to whoever asks, one address for the management API, and a console's place.
 * Made for one machine: publish its ports on loopback alone.
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = parseConfig(settings, env);
  const { DEMO_HOME: home, HOST: host } = config;
  const front = new Hono<{ Bindings: object }>();
  mountIssuer(front, await openIssuer(home, config.AUTH_ISSUER), true);
  front.get('/health/:kind', (c) => c.json({ status: 'ready' }));
  front.get('/demo.json', async (c) => {
    const demo = await readIfThere(demoFile(home));
    if (demo !== undefined) return c.body(demo, 200, { 'Content-Type': 'application/json' });
    return c.json({ error: { code: 'NOT_FOUND', message: 'The demo is not made yet.' } }, 404);
  });
  const management = createManagementFront(
    (service) =>
      ({
        catalogue: config.SWITCHBOARD_CATALOGUE_URL,
        collaboration: config.SWITCHBOARD_COLLABORATION_URL,
        messenger: config.SWITCHBOARD_MESSENGER_URL,
        flags: config.SWITCHBOARD_FLAGS_URL,
        ingestion: config.SWITCHBOARD_INGESTION_URL,
      })[service],
  );
  const servers = await Promise.all([
    listen({ host, port: config.PORT, fetch: front.fetch }),
    listen({ host, port: config.MANAGEMENT_PORT, fetch: management.fetch }),
    listen({ host, port: config.CONSOLE_PORT, fetch: createConsole().fetch }),
  ]);
  const leave = async () => {
    await Promise.all(servers.map((server) => server.close(FINISH_MS)));
    process.exit(0);
  };
  process.once('SIGTERM', () => void leave());
  process.once('SIGINT', () => void leave());
}
