import { join } from 'node:path';
import { execa } from 'execa';

const COMMAND = join(import.meta.dirname, '../../../packages/tools/cli/src/main.ts');

/** Runs the `switchboard` command with only this environment. Resolves with its exit code and both outputs. */
export async function runCommand(args: readonly string[], env: Record<string, string>) {
  const { exitCode, stdout, stderr } = await execa('node', [COMMAND, ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
  });
  return { code: exitCode, out: stdout, err: stderr };
}
