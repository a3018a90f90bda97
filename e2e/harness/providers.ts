import { freePort } from '@switchboard/testkit';
import { providerServer } from './provider-server.ts';

/** Starts the fake providers, and returns the messenger's settings for them. */
export async function startProviders() {
  const server = providerServer();
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${port}`;
  return {
    settings: {
      HELP_SITE_URL: url,
      HELP_SITE_TOKEN: 'help-site-token-of-the-end-to-end-tests',
      AI_BASE_URL: url,
      AI_API_KEY: 'ai-key-of-the-end-to-end-tests',
      AI_MODEL: 'echo',
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
