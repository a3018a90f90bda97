import { MALLOC_SETTINGS, YOUNG_BYTES } from '@switchboard/engine';
import { eventually } from '@switchboard/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compose, docker, ended, IS_UP, inside } from './engine.ts';

const SERVICES = [
  'catalogue',
  'collaboration',
  'messenger',
  'flags',
  'ingestion',
  'archive',
  'analytics',
  'identity',
  'delivery',
  'console',
];
const COMMANDS = ['cli', 'directory-link', 'demo'];
const BASE = 'node:24.21.0-bookworm-slim';
/** Returns how many bytes an image may add to its base. Analytics contains DuckDB. */
const maxAddedBytes = (name: string) => (name === 'analytics' ? 120_000_000 : 30_000_000);
const PACKAGE_MANAGERS = ['npm', 'npx', 'pnpm', 'yarn', 'corepack'];

const MAX_STANDALONE_BYTES = 500_000_000;

const sizeOf = async (image: string) =>
  Number(await docker('image', 'inspect', '--format', '{{.Size}}', image));
const labels = z.record(z.string(), z.string());

describe.skipIf(!IS_UP)('the images', () => {
  it.each([...SERVICES, ...COMMANDS])(
    'the image of %s has labels, third-party licences and no package manager',
    async (name) => {
      const image = `switchboard/${name}:dev`;
      const given = labels.parse(
        JSON.parse(await docker('image', 'inspect', '--format', '{{json .Config.Labels}}', image)),
      );
      expect(given).toMatchObject({
        'org.opencontainers.image.title': `switchboard-${name}`,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      });
      const script = `cat third-party-licences.txt; for one in ${PACKAGE_MANAGERS.join(' ')}; do command -v $one; done; ls /usr/local/lib/node_modules`;
      const { output } = await ended(['run', '--rm', '--entrypoint', 'sh', image, '-c', script]);
      expect(output).toMatch(/^[\w@/-]+ \d+\.\d+\.\d+ \(MIT\)$/m);
      for (const one of PACKAGE_MANAGERS) expect(output).not.toMatch(new RegExp(`^/.*/${one}$`, 'm'));
      expect(output).toContain('/usr/local/lib/node_modules');
      expect((await sizeOf(image)) - (await sizeOf(BASE))).toBeLessThan(maxAddedBytes(name));
    },
    60_000,
  );

  it('the image of the console has the licences of the packages in its pages', async () => {
    const image = 'switchboard/console:dev';
    const { output } = await ended(['run', '--rm', '--entrypoint', 'cat', image, 'web/licences/console.md']);
    expect(output).toMatch(/^## react - \d+\.\d+\.\d+ \(MIT\)$/m);
  });

  it('the image of the gateway adds the described interface to Caddy', async () => {
    const base = 'caddy:2.11-alpine';
    expect((await sizeOf('switchboard/gateway:dev')) - (await sizeOf(base))).toBeLessThan(10_000_000);
  });

  it('the image of directory-link names missing settings', async () => {
    const { output } = await ended(['run', '--rm', '--read-only', 'switchboard/directory-link:dev']);
    expect(output).toContain('REGION: required');
  });

  it('the image of the command lists companies', async () => {
    const issued = await fetch('http://127.0.0.1:4005/dev/tokens', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sub: 'operator', permissions: ['service.manage'] }),
    });
    const { token } = z.object({ token: z.string() }).parse(await issued.json());
    const network = `${process.env['COMPOSE_PROJECT_NAME']}_default`;
    const run = ['run', '--rm', '--read-only', '--network', network];
    const env = ['--env', 'SWITCHBOARD_URL=http://dev:3001', '--env', `SWITCHBOARD_TOKEN=${token}`];
    const { output } = await ended([...run, ...env, 'switchboard/cli:dev', 'get', 'companies']);
    expect(output).toContain('co_lumen');
  });
});

describe.skipIf(!IS_UP)('the image of standalone', () => {
  const IMAGE = 'switchboard/standalone:dev';
  const NAME = `${process.env['COMPOSE_PROJECT_NAME']}-standalone`;
  const API = 'http://127.0.0.1:4010';
  const hardened = [
    '--read-only',
    '--tmpfs',
    '/tmp',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
  ];
  const ports = ['--env', 'PORT=4010', '--publish', '127.0.0.1:4010-4014:4010-4014'];
  const demoFile = z.object({ project_key: z.string() });

  /** Runs the image. Resolves with the project key once it responds. */
  async function start(): Promise<string> {
    const volume = ['--volume', `${NAME}:/data`];
    await docker('run', '--detach', '--init', '--name', NAME, ...hardened, ...ports, ...volume, IMAGE);
    const written = () => docker('exec', NAME, 'cat', '/data/demo.json');
    const text = await eventually(written, { withinMs: 120_000 });
    const { project_key: key } = demoFile.parse(JSON.parse(text));
    // On a volume that was used before, the file already exists.
    await eventually(
      async () => {
        const answer = await fetch(`${API}/v1/flags?distinct_id=ada`, {
          headers: { Authorization: `Bearer ${key}` },
        });
        expect(await answer.json()).toMatchObject({ flags: { payments: true } });
      },
      { withinMs: 120_000 },
    );
    return key;
  }

  afterAll(async () => {
    await ended(['rm', '--force', NAME]);
    await ended(['volume', 'rm', NAME]);
  });

  it('returns the same key from the same volume after its container was stopped and removed', async () => {
    expect((await sizeOf(IMAGE)) - (await sizeOf(BASE))).toBeLessThan(MAX_STANDALONE_BYTES);
    const key = await start();
    expect((await fetch(`${API}/sdk/browser.tgz`)).status).toBe(200);
    await docker('stop', '--time', '30', NAME);
    expect((await docker('inspect', '--format', '{{.State.ExitCode}}', NAME)).trim()).toBe('0');
    await docker('rm', NAME);
    expect(await start()).toBe(key);
  }, 300_000);
});

describe.skipIf(!IS_UP)('the containers', () => {
  it.each([...SERVICES, 'gateway', 'dev'])(
    'the container of %s runs as user 1000 on a read-only file system',
    async (service) => {
      const { output } = await inside(service, 'cat', '/proc/self/status');
      expect(output).toMatch(/^Uid:\s+1000\s+1000/m);
      // The capability of the caddy binary: NET_BIND_SERVICE.
      expect(output).toMatch(service === 'gateway' ? /^CapBnd:\s+0+400$/m : /^CapBnd:\s+0+$/m);
      expect(output).toMatch(/^NoNewPrivs:\s+1$/m);
      expect((await inside(service, 'touch', '/etc/written')).output).toContain('Read-only file system');
    },
  );

  it.each(SERVICES)('the container of %s gives the heap half of its memory', async (service) => {
    const id = (await compose('ps', '--quiet', service)).trim();
    const memory = Number(await docker('inspect', '--format', '{{.HostConfig.Memory}}', id));
    const entry = z
      .array(z.string())
      .parse(
        JSON.parse(
          await docker(
            'image',
            'inspect',
            '--format',
            '{{json .Config.Entrypoint}}',
            `switchboard/${service}:dev`,
          ),
        ),
      );
    const flags = entry.filter((word) => word.startsWith('--'));
    const script = 'console.log(v8.getHeapStatistics().heap_size_limit)';
    const { output } = await inside(service, 'node', ...flags, '-e', script);
    expect(Math.abs(Number(output) - YOUNG_BYTES - memory / 2)).toBeLessThan(2 * 1_048_576);
    const thresholds = await inside(service, 'printenv', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_MMAP_THRESHOLD_');
    expect(thresholds.output.trim().split('\n')).toEqual(Object.values(MALLOC_SETTINGS));
  });
});
