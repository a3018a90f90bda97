import { programFile } from '@switchboard/testkit';
import { execa } from 'execa';

/** Runs the `switchboard` command with only this environment. Resolves with its exit code and both outputs. */
export async function runCommand(args: readonly string[], env: Record<string, string>) {
  const { exitCode, stdout, stderr } = await execa(
    'node',
    [await programFile('packages/tools/cli/src/main.ts'), ...args],
    {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
    },
  );
  return { code: exitCode, out: stdout, err: stderr };
}
