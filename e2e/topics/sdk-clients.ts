import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@switchboard/node';
import { hasChromium, openBrowser } from '@switchboard/testkit';
import { rolldown } from 'rolldown';
import type { Gateway } from '../harness/gateway.ts';

/** Applications that track an event ten times a second with an SDK. */
export interface SdkClients {
  /** Stops tracking. Returns the ids of all tracked events. The queue is still sent, and retried after up to a minute. */
  stop(): Promise<string[]>;
  /** Returns the reported errors. */
  close(): Promise<string[]>;
}

interface ClientOptions {
  gateway: Pick<Gateway, 'api' | 'events'>;
  key: string;
  /** A folder for the queue of the Node SDK. */
  folder: string;
}

const EVERY_MS = 100;

/** Starts an application with the Node SDK and, if there is a browser, a page with the browser SDK. */
export async function startSdkClients(options: ClientOptions): Promise<SdkClients> {
  const clients = [await startNode(options), ...(hasChromium ? [await startPage(options)] : [])];
  return {
    stop: async () => (await Promise.all(clients.map((client) => client.stop()))).flat(),
    close: async () => (await Promise.all(clients.map((client) => client.close()))).flat(),
  };
}

async function startNode({ gateway, key, folder }: ClientOptions): Promise<SdkClients> {
  const ids: string[] = [];
  const errors: string[] = [];
  const client = createClient({
    key,
    host: gateway.api,
    eventsHost: gateway.events,
    folder: join(folder, 'node-sdk'),
    onError: ({ code, message }) => errors.push(`${code}: ${message}`),
  });
  let isGoing = true;
  const tracking = (async () => {
    for (let number = 0; isGoing; number++) {
      const id = await client.track('node-sdk', 'order placed', { number });
      if (id !== undefined) ids.push(id);
      await sleep(EVERY_MS);
    }
  })();
  return {
    async stop() {
      isGoing = false;
      await tracking;
      return ids;
    },
    async close() {
      await client.close();
      return errors;
    },
  };
}

async function startPage({ gateway, key }: ClientOptions): Promise<SdkClients> {
  const script = `
    import * as switchboard from '/sdk.js';
    globalThis.ids = [];
    globalThis.errors = [];
    const client = switchboard.init({
      key: '${key}', host: '${gateway.api}', eventsHost: '${gateway.events}',
      onError: ({ code, message }) => errors.push(code + ': ' + message),
    });
    const timer = setInterval(async () => {
      const id = await client.track('order placed', { number: ids.length });
      if (id !== undefined) ids.push(id);
    }, ${EVERY_MS});
    globalThis.finish = async () => {
      clearInterval(timer);
      await client.flush();
      return ids;
    };`;
  const files = await bundleSdk();
  const server = createServer(({ url = '' }, response) => {
    const code = files.get(url);
    response.setHeader('Content-Type', code === undefined ? 'text/html' : 'text/javascript');
    response.end(code ?? `<!doctype html><title>Shop</title><script type="module">${script}</script>`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await page.waitForFunction('globalThis.ids?.length > 0');
  return {
    stop: () => page.evaluate<string[]>('finish()'),
    async close() {
      const errors = await page.evaluate<string[]>('errors');
      await browser.close();
      server.close();
      return errors;
    },
  };
}

/** Returns the code of the browser SDK by path. The first file is `/sdk.js`. */
async function bundleSdk(): Promise<ReadonlyMap<string, string>> {
  const built = await rolldown({
    input: { sdk: fileURLToPath(import.meta.resolve('@switchboard/browser')) },
    logLevel: 'silent',
  });
  const { output } = await built.generate({ format: 'esm', entryFileNames: '[name].js' });
  return new Map(output.flatMap((file) => (file.type === 'chunk' ? [[`/${file.fileName}`, file.code]] : [])));
}
