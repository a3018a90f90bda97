import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { processUsage } from '@switchboard/testkit';
import { applyLoad, countOf } from '../lib/load.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { startClients, type TurnResult } from './clients.ts';
import { AUTHORIZED, type Deployment, deploy, PROJECT_KEY } from './deployment.ts';

/** Measures the messenger: the memory of idle sockets, turns at a steady rate, and the configuration. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sockets: { type: 'string', default: '5000' },
      seconds: { type: 'string', default: '10' },
      /** One of sockets, turns or configuration. */
      only: { type: 'string', default: '' },
      /** Disables fsync, to show the cost of the disk. */
      volatile: { type: 'boolean', default: false },
    },
  });
  const deployment = await deploy({ durable: !values.volatile });
  const wants = (name: string) => values.only === '' || values.only === name;
  try {
    const seconds = Number(values.seconds);
    // Runs first, in a fresh process: memory left over from other work would hide the memory of sockets.
    const child = wants('sockets') ? await measureSockets(deployment, Number(values.sockets)) : undefined;
    if (child !== undefined) await measureTurns(deployment, seconds, `beside ${values.sockets} sockets`);
    child?.kill();
    if (wants('turns')) await measureTurns(deployment, seconds, 'without sockets');
    if (wants('configuration')) {
      await configure(deployment);
      await measureConfiguration(deployment, seconds);
    }
  } finally {
    await deployment.stop();
  }
}

async function configure({ manage }: Deployment): Promise<void> {
  await manage('PUT', '/messenger/config', {
    texts: { en: { greeting: 'Hello' }, de: { greeting: 'Hallo' }, 'pt-BR': { greeting: 'Olá' } },
  });
}

async function measureConfiguration({ service }: Deployment, seconds: number): Promise<void> {
  const requests = ['', '?locale=de', '?locale=pt-BR,en', '?locale=fr-CA,de'].map((query) => ({
    path: `/v1/messenger/config${query}`,
  }));
  const plan = { port: service.port, requests, headers: AUTHORIZED, connections: 20 };
  await applyLoad({ ...plan, seconds: 2 });
  const result = await applyLoad({ ...plan, seconds });
  const { statuses, latency } = result;
  const row = [
    thousands(countOf(result) / result.seconds),
    decimals(latency.p50, 2),
    decimals(latency.p99, 2),
    JSON.stringify(statuses),
  ];
  printTable(['configuration, requests/s', 'p50 ms', 'p99 ms', 'statuses'], [row]);
}

async function measureTurns({ service }: Deployment, seconds: number, name: string): Promise<void> {
  const conversations = [];
  for (let count = 0; count < 200; count++) {
    const response = await fetch(`${service.url}/v1/conversations`, {
      method: 'POST',
      headers: AUTHORIZED,
      body: '{"distinctId":"bench"}',
    });
    const { conversationId: id, token } = (await response.json()) as {
      conversationId: string;
      token: string;
    };
    conversations.push({ id, token });
  }
  const plan = {
    kind: 'turns',
    port: service.port,
    key: PROJECT_KEY,
    conversations,
    perSecond: 200,
  } as const;
  (await startClients({ ...plan, seconds: 2 })).child.kill();
  const { child, result } = await startClients<TurnResult>({ ...plan, seconds });
  child.kill();
  const { p50, p99, max, statuses } = result;
  const row = [name, decimals(p50), decimals(p99), decimals(max), JSON.stringify(statuses)];
  printTable(['turns at 200/s', 'p50 ms', 'p99 ms', 'max ms', 'statuses'], [row]);
}

async function measureSockets({ service }: Deployment, count: number) {
  await sleep(2000);
  const usage = processUsage(service.pid);
  const before = await usage.residentMb();
  const path = `/v1/messenger/socket?api_key=${PROJECT_KEY}`;
  const { child, result: open } = await startClients<number>({
    kind: 'sockets',
    port: service.port,
    path,
    count,
  });
  await sleep(5000);
  const after = await usage.residentMb();
  // Waits until every client has been pinged.
  await sleep(35_000);
  const later = await usage.residentMb();
  const row = [open, before, after, later, later - before].map((value) => decimals(value, 0));
  printTable(['sockets open', 'RSS MB before', 'after', 'after a ping', 'cost MB'], [row]);
  return child;
}
