/**
 * The command line that runs a command and ties its life to the caller: when the write end of its standard input is
 * closed, which the kernel does when the caller is gone, it is killed. Vitest ends its workers without letting them
 * clean up. A scratch folder is removed unless the caller is there to use it again.
 */
export function tiedCommand(command: readonly string[], scratch = ''): [string, string[]] {
  return ['sh', ['-c', SCRIPT, 'sh', scratch, ...command]];
}

// The shell becomes the command, so that signals reach it.
const SCRIPT = `
  scratch=$1; shift; exec 3<&0
  (cat <&3; kill -KILL $$; [ -n "$scratch" ] && sleep 1 && ! kill -0 $PPID && rm -rf "$scratch") >/dev/null 2>&1 &
  exec "$@" </dev/null 3<&-`;
