/**
 * Returns the command line that runs a command and kills it when the caller ends: the kernel then closes the write
 * end of its standard input. Vitest ends its workers without letting them clean up. A scratch folder is removed
 * unless the caller still runs and can use it again.
 */
export function tiedCommand(command: readonly string[], scratch = ''): [string, string[]] {
  return ['sh', ['-c', SCRIPT, 'sh', scratch, ...command]];
}

// The shell is replaced by the command, so that signals reach it.
const SCRIPT = `
  scratch=$1; shift; exec 3<&0
  (cat <&3; kill -KILL $$; [ -n "$scratch" ] && sleep 1 && ! kill -0 $PPID && rm -rf "$scratch") >/dev/null 2>&1 &
  exec "$@" </dev/null 3<&-`;
