import { type ChildProcess, spawn } from 'node:child_process';

/** A process whose life is tied to this one. */
export interface Running {
  pid: number;
  /** What it has written so far, both streams. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** The exit code; null when a signal ended it. */
  ended: Promise<number | null>;
}

interface RunOptions {
  command: string;
  args: string[];
  env: Record<string, string>;
}

// The shell becomes the command, so that signals reach it; what waits beside it kills it when the pipe ends, which
// it does when this process is gone, however that came about.
const TIED = `exec 3<&0; (cat <&3; kill -KILL $$) >/dev/null 2>&1 & exec "$@" </dev/null 3<&-`;

const MOST_OUTPUT = 1_000_000;

/** Starts a program with this environment and PATH alone. */
export function run({ command, args, env }: RunOptions): Running {
  const child = spawn('sh', ['-c', TIED, 'sh', command, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start`);
  const output = collect(child);
  return {
    pid,
    output,
    signal: (name) => void child.kill(name),
    ended: new Promise((resolve) => {
      child.once('exit', (code) => {
        child.stdin?.destroy();
        resolve(code);
      });
    }),
  };
}

function collect(child: ChildProcess): () => string {
  let text = '';
  const take = (chunk: unknown) => {
    text = (text + String(chunk)).slice(-MOST_OUTPUT);
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return () => text;
}
