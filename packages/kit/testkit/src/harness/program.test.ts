import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { freePort } from '../ports.ts';
import { type ProgramOptions, spawnProgram } from './program.ts';
import { processUsage } from './usage.ts';

const SERVER = fileURLToPath(new URL('./program.fixture.ts', import.meta.url));
const OWNER = fileURLToPath(new URL('./owner.fixture.ts', import.meta.url));

async function start(options: Partial<ProgramOptions> = {}) {
  const program = await spawnProgram({
    command: ['node', SERVER],
    ready: '/ready',
    ...options,
  });
  onTestFinished(async () => void (await program.kill()));
  return program;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-harness-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('spawnProgram', () => {
  it('waits until a path answers 200, passes the port, and inherits nothing but PATH and a cache', async () => {
    process.env['RIG_SECRET'] = 'of this process';
    onTestFinished(() => {
      delete process.env['RIG_SECRET'];
    });
    const program = await start({ env: { GIVEN: 'yes', UNSET: undefined } });
    const response = await fetch(`${program.url}/ready`);
    expect(response.status).toBe(200);
    const { pid, environment } = JSON.parse(await response.text());
    expect(pid).toBe(program.pid);
    const { PATH, PWD, OLDPWD, SHLVL, _, NODE_COMPILE_CACHE, ...rest } = environment;
    expect(rest).toEqual({ GIVEN: 'yes', PORT: String(program.port) });
  });

  it('waits for a line of the output, and collects both streams', async () => {
    const program = await start({ ready: /"listening"/ });
    await eventually(() => expect(program.lines).toContain('a warning'));
    expect(program.records()).toEqual([{ msg: 'listening', run: 'first' }]);
  });

  it('uses the given port, as an option or in the environment', async () => {
    const [first, second] = [await freePort(), await freePort()];
    expect((await start({ port: first })).port).toBe(first);
    expect((await start({ env: { PORT: String(second) } })).port).toBe(second);
  });

  it('resolves with the exit code and all of the output after SIGTERM, and with null after SIGKILL', async () => {
    const program = await start();
    const { lines } = program;
    expect(await program.stop()).toBe(3);
    expect(lines.at(-1)).toBe('leaving');
    expect(program.isRunning).toBe(false);
    expect(await program.stop()).toBe(3);
    await program.restart();
    expect(await program.kill()).toBeNull();
    expect(await program.exited).toBeNull();
  });

  it('restarts on the same port once the program has ended, with a changed environment', async () => {
    const program = await start();
    const { pid, port, url } = program;
    await program.restart({ env: { RUN: 'second' } });
    expect(program.pid).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
    expect(program).toMatchObject({ port, url, isRunning: true });
    expect(program.records()).toEqual([{ msg: 'listening', run: 'second' }]);
    expect((await fetch(url)).status).toBe(200);
  });

  it('rejects with the output when the program ends before it is ready', async () => {
    const command = ['node', '-e', 'console.error("REGION: required"); process.exit(4)'] as const;
    await expect(start({ command })).rejects.toThrow(/ended with 4: REGION: required/);
    await expect(start({ command: ['no-such-program'] })).rejects.toThrow(/ended with 127: .*not found/);
  });

  it('kills a program that is not ready in time', async () => {
    let pid = 0;
    const command = ['node', '-e', 'console.log(process.pid); setInterval(() => 0, 1000)'] as const;
    const late = spawnProgram({ command, ready: '/ready', readyWithinMs: 1_500 });
    await expect(
      late.catch((error: Error) => {
        pid = Number(/: (\d+)$/.exec(error.message)?.[1]);
        throw error;
      }),
    ).rejects.toThrow(/was not ready within 1500 ms/);
    expect(pid).toBeGreaterThan(0);
    expect(isAlive(pid)).toBe(false);
  });

  it('appends the output of every run to a file', async () => {
    const file = join(await temporaryFolder(), 'program.log');
    const program = await start({ output: { file } });
    await program.restart({ env: { RUN: 'second' } });
    await program.stop();
    await eventually(async () => {
      const text = await readFile(file, 'utf8');
      expect(text.match(/"run":"\w+"|a warning|leaving/g)?.sort()).toEqual(
        ['"run":"first"', '"run":"second"', 'a warning', 'a warning', 'leaving', 'leaving'].sort(),
      );
    });
  });

  it('kills the program and removes its scratch folder when its owner is killed', async () => {
    const scratch = await temporaryFolder();
    const owner = await start({
      command: ['node', OWNER],
      env: { SCRATCH: scratch },
      ready: /pid/,
    });
    const pid = Number(owner.records()[0]?.['pid']);
    expect(isAlive(pid)).toBe(true);
    await owner.kill();
    await eventually(() => expect(isAlive(pid)).toBe(false));
    await eventually(() => expect(existsSync(scratch)).toBe(false));
  });
});

describe('the usage of a process', () => {
  it('reads the CPU time and the memory of a process', async () => {
    const program = await start();
    const usage = processUsage(program.pid);
    expect(await usage.cpuSeconds()).toBeGreaterThan(0);
    expect(await usage.residentMb()).toBeGreaterThan(20);
    await usage.resetPeak();
    expect(await usage.peakMb()).toBeGreaterThan(20);
  });
});
