import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';

interface ProgramOptions {
  /** The command and its arguments; `node` is this process's own. */
  command: string[];
  cwd: string;
  /** All of its environment, but for the path. */
  env: Record<string, string>;
}

export interface Program {
  /** What it has said so far. */
  said(): string;
  /** Sends the signal, if it still runs, and answers the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** The exit code once it has ended by itself. */
  readonly ended: Promise<number | null>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program as a container would: its own command, folder and environment, and nothing of this process's. */
export function startProgram({ command: [command = '', ...args], cwd, env }: ProgramOptions): Program {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const chunks: string[] = [];
  child.stdout?.on('data', (chunk) => chunks.push(String(chunk)));
  child.stderr?.on('data', (chunk) => chunks.push(String(chunk)));
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return typeof code === 'number' ? code : null;
  });
  return {
    said: () => chunks.join(''),
    ended,
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
