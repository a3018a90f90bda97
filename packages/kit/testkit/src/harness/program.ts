import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { eventually } from '../eventually.ts';
import { freePort } from '../ports.ts';
import { tiedCommand } from './tied.ts';

export type Env = Record<string, string | undefined>;

export interface ProgramOptions {
  /** The command and its arguments. `node` is the Node.js that runs this process. */
  command: readonly [string, ...string[]];
  /** The whole environment except PATH. The program inherits nothing else from this process. */
  env?: Env;
  /** Default: the working directory of this process. */
  cwd?: string;
  /**
   * A separate working directory of the program. It is removed when this process ends without stopping the
   * program.
   */
  scratch?: string;
  /** The port for `url`, passed to the program as PORT. Default: PORT of `env`, else a free port. */
  port?: number | undefined;
  /**
   * The condition for the program to be ready: a path that returns 200, a pattern that a line of its output
   * matches, or a check that does not throw. Default: as soon as the process runs.
   */
  ready?: string | RegExp | (() => Promise<unknown>) | undefined;
  /** Default: 60 s. */
  readyWithinMs?: number | undefined;
  /**
   * `lines` collects standard output and standard error in `lines`. `file` also appends both to a file. Default:
   * `lines`.
   */
  output?: 'lines' | 'inherit' | 'ignore' | { file: string } | undefined;
}

/** A program in a separate process. It is killed when this process ends for any reason. */
export interface Program {
  /** The process id of the current run. `lines` and `exited` also refer to the current run. */
  readonly pid: number;
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly isRunning: boolean;
  /** The last 20,000 lines of both streams. */
  readonly lines: readonly string[];
  /** Returns the lines that contain a JSON object, such as the log of a service. */
  records(): Record<string, unknown>[];
  /** Resolves to the exit code, or to null if a signal ended the program. */
  readonly exited: Promise<number | null>;
  /** Sends a signal and returns immediately, for SIGSTOP and SIGCONT. */
  signal(name: NodeJS.Signals): void;
  /** Sends a signal, by default SIGKILL, and resolves to the exit code. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
  /** Sends SIGTERM, and SIGKILL 30 s later. Resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Stops the program if it is running, and starts it again on the same port, with changed options if given. */
  restart(changed?: Partial<Pick<ProgramOptions, 'command' | 'env' | 'cwd' | 'ready'>>): Promise<void>;
}

const MAX_LINES = 20_000;
const READY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 1_000;
const STOP_WITHIN_MS = 30_000;
/** How long to wait for the rest of the output if a child of the program keeps its streams open. */
const DRAIN_MS = 1_000;

/**
 * Starts a program and resolves when it is ready. Rejects with its last output if it ends or is not ready in time.
 */
export async function spawnProgram(options: ProgramOptions): Promise<Program> {
  const given = options.port ?? Number(options.env?.['PORT'] ?? 0);
  const port = given === 0 ? await freePort() : given;
  const url = `http://127.0.0.1:${port}`;
  let run = await start(options, port, url);

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    run.signal(signal);
    return run.exited;
  }

  async function stop(): Promise<number | null> {
    const late = setTimeout(() => run.signal('SIGKILL'), STOP_WITHIN_MS);
    try {
      return await end('SIGTERM');
    } finally {
      clearTimeout(late);
    }
  }

  return {
    port,
    url,
    stop,
    get pid() {
      return run.pid;
    },
    get isRunning() {
      return run.isRunning();
    },
    get lines() {
      return run.lines;
    },
    get exited() {
      return run.exited;
    },
    records: () => run.lines.flatMap(recordOf),
    signal: (name) => run.signal(name),
    kill: (signal = 'SIGKILL') => end(signal),
    async restart(changed = {}) {
      if (run.isRunning()) await stop();
      run = await start({ ...options, ...changed }, port, url);
    },
  };
}

interface Run {
  pid: number;
  lines: string[];
  exited: Promise<number | null>;
  isRunning(): boolean;
  signal(name: NodeJS.Signals): void;
}

async function start(options: ProgramOptions, port: number, url: string): Promise<Run> {
  const run = spawn(options, port);
  const { ready, readyWithinMs = READY_WITHIN_MS } = options;
  if (ready === undefined) return run;
  const name = options.command.join(' ');
  const ended = run.exited.then((code) => {
    throw new Error(`${name} ended with ${code}: ${tail(run)}`);
  });
  const check = async () => {
    if (typeof ready === 'string') await answers(`${url}${ready}`);
    else if (ready instanceof RegExp) says(run, ready);
    else await ready();
  };
  try {
    await Promise.race([ended, eventually(check, { withinMs: readyWithinMs, while: run.isRunning })]);
  } catch (error) {
    if (!run.isRunning()) return await ended;
    run.signal('SIGKILL');
    await run.exited;
    throw new Error(`${name} was not ready within ${readyWithinMs} ms: ${tail(run)}`, { cause: error });
  }
  return run;
}

function spawn({ command, env = {}, cwd, scratch, output = 'lines' }: ProgramOptions, port: number): Run {
  const [file, args] = tiedCommand(command, scratch);
  const streams =
    typeof output === 'object'
      ? (['pipe', { file: output.file, append: true }] as const)
      : output === 'lines'
        ? 'pipe'
        : output;
  const directory = scratch ?? cwd;
  const child = execa(file, args, {
    ...(directory === undefined ? {} : { cwd: directory }),
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      PORT: String(port),
      ...defined({ NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env }),
    },
    extendEnv: false,
    stdin: 'pipe',
    stdout: streams,
    stderr: streams,
    all: true,
    buffer: false,
    reject: false,
    forceKillAfterDelay: false,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command[0]} did not start`);
  const lines: string[] = [];
  const drained = child.all === undefined ? Promise.resolve() : collect(child.all, lines);
  let isRunning = true;
  const exited = new Promise<number | null>((resolve) => {
    child.nodeChildProcess.once('exit', async (code: number | null) => {
      isRunning = false;
      child.stdin?.destroy();
      await Promise.race([drained, sleep(DRAIN_MS)]);
      resolve(code);
    });
  });
  return {
    pid,
    lines,
    exited,
    isRunning: () => isRunning,
    signal(name) {
      if (!isRunning) return;
      child.kill(name);
      if (name === 'SIGSTOP') waitUntilStopped(pid);
    },
  };
}

/**
 * Waits until all threads are stopped. A thread that still runs on another core may answer a request after
 * SIGSTOP (Linux).
 */
function waitUntilStopped(pid: number): void {
  const deadline = performance.now() + STOPPED_WITHIN_MS;
  const isStopped = (thread: string) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) === 'T';
  };
  try {
    while (!readdirSync(`/proc/${pid}/task`).every(isStopped) && performance.now() < deadline);
  } catch {
    // The system is not Linux, or the program has ended.
  }
}

function collect(input: NodeJS.ReadableStream, lines: string[]): Promise<void> {
  const reader = createInterface({ input });
  reader.on('line', (line) => {
    lines.push(line);
    if (lines.length > MAX_LINES) lines.shift();
  });
  return new Promise((resolve) => reader.once('close', resolve));
}

async function answers(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

function says({ lines }: Run, pattern: RegExp): void {
  if (!lines.some((line) => pattern.test(line))) throw new Error(`no line matches ${pattern}`);
}

function tail({ lines }: Run): string {
  return lines.join('\n').slice(-2_000);
}

function recordOf(line: string): Record<string, unknown>[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function defined(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
