import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

// The shell becomes the command, so that signals reach it; beside it something waits for the end of the pipe, then
// kills the command, and removes its folder unless this process is there to use it again.
const script = `
  folder=$1; shift; exec 3<&0
  (cat <&3; kill -KILL $$; sleep 1; kill -0 $PPID || rm -rf "$folder") >/dev/null 2>&1 &
  exec "$@" </dev/null 3<&-`;

/**
 * Starts a server whose life is tied to this process: it is killed, and its folder removed, when this process is
 * gone, however that came about. Vitest ends its workers without letting them clean up.
 */
export function spawnTied(
  folder: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): ChildProcess {
  return spawn('sh', ['-c', script, 'sh', folder, command, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: folder,
    env: { ...process.env, ...env },
  });
}

/** SIGKILL, and resolves when it is gone. */
export async function killNow(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
