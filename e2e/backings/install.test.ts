import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const INSTALL = join(REPOSITORY, 'deploy/backings/install.sh');
/** The programs that the script itself uses. */
const TOOLS = ['bash', 'cat', 'cmp', 'cp', 'dirname', 'env', 'id', 'ln', 'mkdir', 'mv', 'rm'];

describe('install.sh', () => {
  let folder: string;
  let bin: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-install-'));
    bin = join(folder, 'bin');
    await mkdir(bin);
    for (const tool of TOOLS) {
      const { stdout } = await promisify(execFile)('sh', ['-c', `command -v ${tool}`]);
      await symlink(stdout.trim(), join(bin, tool));
    }
    // These installers succeed without installing anything.
    for (const installer of ['apt-get', 'go', 'mvn', 'python3']) await program(installer, 'exit 0');
    await program('sudo', 'exec "$@"');
    await program('java', 'exit 1');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function program(name: string, script: string): Promise<void> {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }

  /** Runs the script with only its tools and these installers on the PATH. */
  async function install(...steps: string[]): Promise<{ code: number; stderr: string }> {
    const env = { PATH: bin, HOME: folder, SWITCHBOARD_BACKINGS: join(folder, 'backings') };
    return await new Promise((resolve) => {
      execFile(join(bin, 'bash'), [INSTALL, ...steps], { env }, (error, _stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr });
      });
    });
  }

  test.each([
    ['curl', 'curl'],
    ['redis', 'redis-server'],
    ['promtool', 'promtool'],
    ['browser', 'chromium-headless-shell'],
    ['kafka', 'java'],
    ['s3', 'versitygw'],
    ['compose', 'compose-spec'],
    ['docker-compose', 'docker-compose'],
    ['toxiproxy', 'toxiproxy'],
    ['helm', 'pip'],
    ['caddy', 'pip'],
    ['kubernetes', 'openssl'],
    ['clickhouse', 'pip'],
  ])('the step %s fails and names %s if its installer installs nothing', async (step, missing) => {
    const { code, stderr } = await install(step);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(missing) });
  });

  test('installs Caddy in the version of the image of the gateway', async () => {
    const [script, dockerfile] = await Promise.all(
      [INSTALL, join(REPOSITORY, 'deploy/docker/Dockerfile')].map((path) => readFile(path, 'utf8')),
    );
    const image = /^FROM caddy:([\d.]+)-alpine/m.exec(dockerfile ?? '')?.[1];
    expect(/^caddy_version=(\d+\.\d+)/m.exec(script ?? '')?.[1]).toBe(image);
  });

  test('succeeds if the programs are already installed', async () => {
    for (const name of ['redis-server', 'redis-cli']) await program(name, 'exit 0');
    expect(await install('redis')).toEqual({ code: 0, stderr: '' });
  });
});
