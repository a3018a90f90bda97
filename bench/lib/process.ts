import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerProcess {
  pid: number;
  port: number;
  /** CPU time of all its threads so far, in seconds (Linux). */
  cpuSeconds(): Promise<number>;
  /** Resident memory now, in megabytes of a million bytes. */
  residentMb(): Promise<number>;
  /** The most it has been since `forgetPeak`. */
  peakMb(): Promise<number>;
  forgetPeak(): Promise<void>;
  stop(): Promise<void>;
}

interface ServerOptions {
  script: string;
  port: number;
  env: Record<string, string>;
  /** Flags for Node itself. */
  flags?: string[];
  /** A path that answers 200 once the server takes load. */
  readyPath: string;
}

/** Linux counts CPU time in hundredths of a second. */
const TICKS_A_SECOND = 100;

/** Starts a server as a process of its own and waits until it is ready. */
export async function startServer({ script, port, env, flags = [], readyPath }: ServerOptions) {
  const child = spawn(process.execPath, [...flags, script], {
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      NODE_ENV: 'production',
      ...env,
      PORT: String(port),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} did not start`);
  process.once('exit', () => child.kill('SIGKILL'));
  await untilReady(child, `http://127.0.0.1:${port}${readyPath}`);
  return watch(child, pid, port);
}

function watch(child: ChildProcess, pid: number, port: number): ServerProcess {
  const status = async (name: string) => {
    const text = await readFile(`/proc/${pid}/status`, 'utf8');
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1];
    return (Number(kilobytes) * 1024) / 1e6;
  };
  return {
    pid,
    port,
    async cpuSeconds() {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
    },
    residentMb: () => status('VmRSS'),
    peakMb: () => status('VmHWM'),
    forgetPeak: () => writeFile(`/proc/${pid}/clear_refs`, '5'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const left = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await left;
    },
  };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server left with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(50);
  }
  throw new Error(`${url} was not ready within 30 s`);
}
