import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceName } from '@switchboard/contracts';
import { backingProgram, freePort, spawnProgram } from '@switchboard/testkit';
import { REPOSITORY } from './repository.ts';

export interface Gateway {
  api: string;
  events: string;
  replay: string;
  console: string;
  /** The address that Prometheus scrapes. */
  metrics: string;
  /** The lines of its log. */
  readonly lines: readonly string[];
  /** Kills the gateway. */
  stop(): Promise<void>;
  /** Stops the gateway gracefully. Resolves when it has exited. */
  leave(): Promise<void>;
}

export interface GatewayPorts {
  api: number;
  events: number;
  replay: number;
  console: number;
  metrics: number;
}

const FOLDER = join(REPOSITORY, 'deploy/gateway');

/** Returns whether Caddy is installed. With REQUIRE_BACKINGS=1, it must be. */
export const hasCaddy = () => backingProgram('caddy') !== undefined;

export async function gatewayPorts(): Promise<GatewayPorts> {
  return {
    api: await freePort(),
    events: await freePort(),
    replay: await freePort(),
    console: await freePort(),
    metrics: await freePort(),
  };
}

/** Writes the files that the gateway serves itself. */
export async function writePublicFiles(folder: string, { api, events, replay }: GatewayPorts): Promise<void> {
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const addresses = {
    PUBLIC_API_URL: url(api),
    PUBLIC_EVENTS_URL: url(events),
    PUBLIC_REPLAY_URL: url(replay),
  };
  await promisify(execFile)(process.execPath, [join(FOLDER, 'src/main.ts'), 'public', folder], {
    env: { ...process.env, ...addresses },
  });
}

/** Starts Caddy with deploy/gateway/Caddyfile in front of these instances. `folder` has the files that it serves. */
export async function startGateway(
  upstreams: ReadonlyMap<ServiceName, string[]>,
  ports: GatewayPorts,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const program = backingProgram('caddy');
  if (program === undefined) throw new Error('no caddy: run deploy/backings/install.sh caddy');
  const named = [...upstreams].map(([service, addresses]) => [
    `${service.toUpperCase()}_UPSTREAMS`,
    addresses.map((address) => new URL(address).host).join(' '),
  ]);
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const running = await spawnProgram({
    command: [program, 'run', '--config', join(FOLDER, 'Caddyfile'), '--adapter', 'caddyfile'],
    env: {
      // Caddy saves its configuration below HOME.
      HOME: tmpdir(),
      ...Object.fromEntries(named),
      API_ADDRESS: `http://:${ports.api}`,
      EVENTS_ADDRESS: `http://:${ports.events}`,
      REPLAY_ADDRESS: `http://:${ports.replay}`,
      CONSOLE_ADDRESS: `http://:${ports.console}`,
      METRICS_ADDRESS: `http://:${ports.metrics}`,
      GATEWAY_ADMIN: 'off',
      GATEWAY_LOG_LEVEL: 'WARN',
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      GATEWAY_PUBLIC: folder,
      ...env,
    },
    ready: () => fetch(`${url(ports.api)}/`),
  });
  return {
    api: url(ports.api),
    events: url(ports.events),
    replay: url(ports.replay),
    console: url(ports.console),
    metrics: url(ports.metrics),
    get lines() {
      return running.lines;
    },
    async stop() {
      await running.kill();
    },
    async leave() {
      await running.stop();
    },
  };
}
