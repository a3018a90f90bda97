import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const ENGINE = join(REPOSITORY, 'deploy/backings/engine.sh');
/** The programs that the script itself uses. */
const TOOLS = ['bash', 'dirname', 'mkdir', 'rm'];

describe('engine.sh', () => {
  let folder: string;
  let bin: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-engine-'));
    bin = join(folder, 'bin');
    await mkdir(bin);
    for (const tool of TOOLS) {
      const { stdout } = await promisify(execFile)('sh', ['-c', `command -v ${tool}`]);
      await symlink(stdout.trim(), join(bin, tool));
    }
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function program(name: string, script: string): Promise<void> {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }

  /** Runs the script with only its tools and these programs on the PATH. */
  async function engine(step: string): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: bin, HOME: folder, SWITCHBOARD_BACKINGS: join(folder, 'backings') };
    return await new Promise((resolve) => {
      execFile(join(bin, 'bash'), [ENGINE, step], { env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
    });
  }

  test('uses the engine that docker compose reaches, and changes nothing', async () => {
    await program('docker', 'exit 0');
    const { code, stdout, stderr } = await engine('up');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
    expect(await engine('check')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('requires root to set up an engine', async () => {
    await program('docker', 'exit 1');
    await program('id', 'echo 1000');
    const { code, stderr } = await engine('up');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('needs root') });
  });

  test('installs nothing on a machine that forbids what containers need', async () => {
    await program('id', 'echo 0');
    await program('unshare', 'echo "mount failed: Operation not permitted" >&2; exit 1');
    await program('apt-get', 'exit 0');
    for (const step of ['check', 'up']) {
      const { code, stderr } = await engine(step);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/runs no containers.*mount failed: Operation not permitted/),
      });
    }
  });

  test('names the programs that its installer did not install', async () => {
    await program('id', 'echo 0');
    await program('unshare', 'exit 0');
    await program('apt-get', 'exit 0');
    const { code, stderr } = await engine('up');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/not installed: podman buildah/),
    });
  });

  test('succeeds with down when nothing runs', async () => {
    expect(await engine('down')).toMatchObject({ code: 0, stderr: '' });
  });
});
