import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type Program, spawnProgram } from '@switchboard/testkit';
import type { ComposeService } from './compose-file.ts';
import { commandOf, type NativeImage, type NativeImages } from './native-images.ts';

interface NativeComposeOptions {
  services: Record<string, ComposeService>;
  images: NativeImages;
  /** The folder for volumes. */
  root: string;
  /** Addresses of running backings by name and port in the file: `kafka:9092` is at `127.0.0.1:31245`. */
  backings: ReadonlyMap<string, string>;
}

export interface NativeCompose {
  /** The address that the file publishes as `127.0.0.1:<port>`. */
  published(port: number): string;
  /** The address of a service by its name and port in the file. */
  addressOf(service: string, port: number): string;
  programs: ReadonlyMap<string, Program>;
  stop(): Promise<void>;
}

const GATEWAY = 'gateway';
const START_MS = 90_000;

/**
 * Starts every service that docker-compose.yml builds, with its image, command and environment, once its dependencies
 * are healthy. Service names become local ports, volumes become folders.
 */
export async function nativeCompose(options: NativeComposeOptions): Promise<NativeCompose> {
  const { services, images, root, backings } = options;
  const addresses = new Map(backings);
  const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);
  for (const [name, { ports }] of ours) {
    const targets = new Set([...ports.map(({ target }) => target), ...(name === GATEWAY ? [] : [3000])]);
    for (const target of targets) addresses.set(`${name}:${target}`, `127.0.0.1:${await freePort()}`);
    for (const { published, target } of ports) {
      addresses.set(`127.0.0.1:${published}`, addresses.get(`${name}:${target}`) ?? '');
    }
  }
  const names = [...addresses.keys()].map((name) => name.replaceAll('.', '\\.'));
  const pattern = new RegExp(`(?<![\\w.-])(${names.join('|')})(?!\\d)`, 'g');
  const here = (text: string) => text.replaceAll(pattern, (name) => addresses.get(name) ?? name);
  const portOf = (name: string) => addresses.get(name)?.split(':')[1] ?? '';

  function environmentOf(name: string, { environment, volumes }: ComposeService): Record<string, string> {
    const env = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => {
        const isVolume = volumes.some(({ target }) => target === value);
        return [key, isVolume ? join(root, 'volumes', value) : here(value)];
      }),
    );
    const ports = { PORT: portOf(`${name}:3000`) };
    const networks = { OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8' };
    if (name !== 'dev') return { HOST: '127.0.0.1', ...ports, ...env, ...networks };
    return {
      HOST: '127.0.0.1',
      ...ports,
      MANAGEMENT_PORT: portOf('dev:3001'),
      ...env,
      ...networks,
    };
  }

  /** docker-compose.yml relies on the Caddyfile's default addresses; here they become local ports. */
  async function gatewayEnvironment(): Promise<Record<string, string>> {
    const upstreams = ['catalogue', 'collaboration', 'messenger', 'flags', 'ingestion'];
    return {
      HOME: root,
      GATEWAY_ADMIN: `127.0.0.1:${await freePort()}`,
      API_ADDRESS: here('http://gateway:4000'),
      EVENTS_ADDRESS: here('http://gateway:4001'),
      REPLAY_ADDRESS: here('http://gateway:4002'),
      ...Object.fromEntries(
        upstreams.map((name) => [`${name.toUpperCase()}_UPSTREAMS`, here(`${name}:3000`)]),
      ),
    };
  }

  const built = new Map<string, Promise<NativeImage>>();
  function imageOf(name: string): Promise<NativeImage> {
    const image = built.get(name) ?? images.build(name);
    built.set(name, image);
    return image;
  }

  const programs = new Map<string, Program>();
  async function start(name: string, service: ComposeService): Promise<void> {
    const args = service.build?.args ?? {};
    const isGateway = service.build?.target === GATEWAY;
    const localArgs = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, here(value)]));
    const image = isGateway ? await images.buildGateway(localArgs) : await imageOf(args['SERVICE'] ?? '');
    const env = {
      ...image.env,
      ...environmentOf(name, service),
      ...(isGateway && (await gatewayEnvironment())),
    };
    if ('publicFolder' in image) env['GATEWAY_PUBLIC'] = String(image.publicFolder);
    const command = [...image.entrypoint, ...(service.command ?? [])];
    const program = await spawnProgram({ command: commandOf(command), cwd: image.folder, env });
    programs.set(name, program);
    await (service.healthcheck?.test === undefined
      ? succeeded(name, program)
      : healthy(service.healthcheck.test, image, env, program));
  }

  async function healthy(test: string[], image: NativeImage, env: Record<string, string>, program: Program) {
    const [, ...command] = test;
    const url = command.find((word) => word.startsWith('http'));
    const passes = async () => {
      // The gateway's image has wget; this machine may not.
      if (url !== undefined) return (await fetch(here(url)).catch(() => undefined))?.ok === true;
      const check = await spawnProgram({ command: commandOf(command), cwd: image.folder, env });
      return (await check.exited) === 0;
    };
    const until = Date.now() + START_MS;
    while (!(await passes())) {
      if (Date.now() > until) throw new Error(`not healthy: ${program.lines.join('\n')}`);
      await sleep(1000);
    }
  }

  const started = new Map<string, Promise<void>>();
  function startInOrder(name: string): Promise<void> {
    const service = services[name];
    if (service?.build === undefined) return Promise.resolve();
    const starting =
      started.get(name) ??
      Promise.all(Object.keys(service.depends_on).map(startInOrder)).then(() => start(name, service));
    started.set(name, starting);
    return starting;
  }

  const compose: NativeCompose = {
    published: (port) => `http://${addresses.get(`127.0.0.1:${port}`)}`,
    addressOf: (service, port) => `http://${addresses.get(`${service}:${port}`)}`,
    programs,
    async stop() {
      await Promise.all([...programs.values()].map((program) => program.kill()));
    },
  };
  try {
    await Promise.all(ours.map(([name]) => startInOrder(name)));
  } catch (error) {
    await compose.stop();
    throw error;
  }
  return compose;
}

async function succeeded(name: string, program: Program): Promise<void> {
  const code = await program.exited;
  if (code !== 0) throw new Error(`${name} exited with ${code}: ${program.lines.join('\n')}`);
}
