import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnProgram } from '../harness/program.ts';
import { freePort } from '../ports.ts';
import { backingProgram } from './backing.ts';

/**
 * `latency`: each response takes 200 to 600 ms longer. `slow`: 10 s longer. `reset`: every connection ends with a TCP
 * reset. `half-open`: requests reach the server, but no response is received. `refused`: nothing listens.
 */
export type NetworkFault = 'latency' | 'slow' | 'reset' | 'half-open' | 'refused';

/** The faults that any server may have temporarily. */
export const NETWORK_FAULTS: readonly NetworkFault[] = ['latency', 'reset', 'half-open', 'refused'];

/** A port that forwards to a server on this machine, and can fail. */
export interface NetworkLink {
  port: number;
  /** Resolves when the fault is in effect, also for open connections. */
  fail(fault: NetworkFault): Promise<void>;
  /** Ends the fault. Connections that were half-open are closed. */
  heal(): Promise<void>;
}

/** Links to servers, each through a proxy of toxiproxy. */
export interface Network {
  /** Creates a link. `name` must be unique. Default of `port`: a free one. */
  link(name: string, upstreamPort: number, port?: number): Promise<NetworkLink>;
  stop(): Promise<void>;
}

interface Toxic {
  type: string;
  stream: 'upstream' | 'downstream';
  attributes: Record<string, number>;
}

const TOXICS: Record<Exclude<NetworkFault, 'refused'>, Toxic> = {
  latency: { type: 'latency', stream: 'downstream', attributes: { latency: 400, jitter: 200 } },
  slow: { type: 'latency', stream: 'downstream', attributes: { latency: 10_000, jitter: 0 } },
  reset: { type: 'reset_peer', stream: 'downstream', attributes: { timeout: 0 } },
  // Without a time-out the connection stays open until the fault ends, and the server's responses are dropped.
  'half-open': { type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } },
};

/**
 * Starts the toxiproxy that `deploy/backings/install.sh` installed. Returns undefined if it is not installed; with
 * REQUIRE_BACKINGS=1 that is an error.
 */
export async function startNetwork(): Promise<Network | undefined> {
  const program = backingProgram('toxiproxy');
  if (program === undefined) return undefined;
  const port = await freePort();
  const server = await spawnProgram({
    command: [program, '-host', '127.0.0.1', '-port', String(port)],
    scratch: await mkdtemp(join(tmpdir(), 'switchboard-network-')),
    port,
    ready: '/version',
    output: 'ignore',
  });

  async function send(method: string, path: string, body?: unknown): Promise<void> {
    const response = await fetch(`${server.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`toxiproxy: ${method} ${path}: ${response.status} ${text}`);
  }

  return {
    async link(name, upstreamPort, given) {
      const listenPort = given ?? (await freePort());
      const path = `/proxies/${encodeURIComponent(name)}`;
      const listen = `127.0.0.1:${listenPort}`;
      await send('POST', '/proxies', { name, listen, upstream: `127.0.0.1:${upstreamPort}`, enabled: true });
      const enable = (enabled: boolean) => send('POST', path, { enabled });
      let current: NetworkFault | undefined;
      return {
        port: listenPort,
        async fail(fault) {
          current = fault;
          if (fault === 'refused') return enable(false);
          await send('POST', `${path}/toxics`, { name: fault, toxicity: 1, ...TOXICS[fault] });
        },
        async heal() {
          if (current === undefined) return;
          if (current === 'refused') await enable(true);
          else await send('DELETE', `${path}/toxics/${current}`);
          current = undefined;
        },
      };
    },
    stop: async () => void (await server.kill()),
  };
}
