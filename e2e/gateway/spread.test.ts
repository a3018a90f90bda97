import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { freePort } from '@switchboard/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gatewayPorts, hasCaddy, startGateway } from '../harness/gateway.ts';

const PROJECTS = Array.from({ length: 120 }, (_, index) => `pk_eu_${index * 7_919}`);

/** Starts a flags pod that responds with its own address. */
async function startPod(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    response.end(request.url === '/health/serving' ? 'serving' : String(port));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

async function stopPod(server: Server | undefined): Promise<void> {
  const closed = new Promise((resolve) => server?.close(resolve));
  server?.closeAllConnections();
  await closed;
}

/** Starts four flags pods behind the gateway with these variables. */
async function startPods(env: Record<string, string>) {
  const ports = await Promise.all([1, 2, 3, 4].map(() => freePort()));
  const pods = new Map<string, Server>();
  for (const port of ports) pods.set(String(port), await startPod(port));
  const upstreams = ports.map((port) => `http://127.0.0.1:${port}`);
  const gateway = await startGateway(new Map([['flags', upstreams]]), await gatewayPorts(), tmpdir(), env);
  onTestFinished(async () => {
    await gateway.stop();
    await Promise.all([...pods.values()].map(stopPod));
  });
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(gateway.api + path, { headers });
    return answer.status === 200 ? await answer.text() : `status ${answer.status}`;
  };
  const podOf = (key: string) => ask('/v1/flags', { Authorization: `Bearer ${key}` });
  return {
    ask,
    podOf,
    /** Returns the pod of every project. */
    podsOf: async () =>
      new Map(await Promise.all(PROJECTS.map(async (key) => [key, await podOf(key)] as const))),
    names: ports.map(String),
    stop: (name: string) => stopPod(pods.get(name)),
    start: async (name: string) => pods.set(name, await startPod(Number(name))),
  };
}

describe.skipIf(!hasCaddy())('the gateway before several pods of flags', () => {
  test('sends a project to one pod with FLAGS_BALANCING, and moves only the projects of a stopped pod', async () => {
    const { ask, names, podsOf, start, stop } = await startPods({
      FLAGS_BALANCING: 'header X-Project-Key',
      RETRY_FOR: '30s',
    });

    const before = await podsOf();
    expect(new Set(before.values())).toEqual(new Set(names));
    expect(await podsOf()).toEqual(before);
    // A header that the client sets must have no effect.
    const forged = { 'X-Project-Key': 'pk_eu_other' };
    for (const [key, pod] of before) {
      const bearer = { Authorization: `bearer ${key}` };
      expect(await ask('/v1/flags/snapshot', { ...forged, ...bearer })).toBe(pod);
      expect(await ask('/v1/flags/memberships', { 'X-API-Key': key })).toBe(pod);
      expect(await ask(`/v1/flags/socket?api_key=${key}`)).toBe(pod);
    }

    const [gone = ''] = names;
    await stop(gone);
    const without = await podsOf();
    const moved = PROJECTS.filter((key) => without.get(key) !== before.get(key));
    expect(moved).toEqual(PROJECTS.filter((key) => before.get(key) === gone));
    expect(names.slice(1)).toEqual(expect.arrayContaining(moved.map((key) => without.get(key))));

    await start(gone);
    await expect.poll(podsOf, { timeout: 20_000 }).toEqual(before);
  });

  test('sends the requests of a project to all pods without FLAGS_BALANCING', async () => {
    const { names, podOf } = await startPods({});
    const pods = await Promise.all(Array.from({ length: 40 }, () => podOf('pk_eu_1')));
    expect(new Set(pods)).toEqual(new Set(names));
  });
});
