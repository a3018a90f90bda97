import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';

const PYTHON = process.env['PYTHON'] ?? 'python3';

/** Whether Python has a package. Its tests are skipped without it. */
export const hasPython = (module: string) => spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;

/** Whether there is Go. Its tests are skipped without it, and fail with REQUIRE_BACKINGS=1. */
export const hasGo = process.env['REQUIRE_BACKINGS'] === '1' || spawnSync('go', ['version']).status === 0;

interface Address {
  base_url: string;
  project_key: string;
}

/** Runs a program of this folder for Python with this input, and returns the JSON that it prints. */
export async function runPython(program: string, input: object, address: Address) {
  return runClient([PYTHON, join(import.meta.dirname, program)], input, address);
}

let built: Promise<string> | undefined;

/** Runs an SDK of `go/` with this input, and returns the JSON that it prints. */
export async function runGo(sdk: 'posthog' | 'unleash', input: object, address: Address) {
  built ??= build();
  return runClient([await built, sdk], input, address);
}

/** Go keeps what it compiled: about a second, and on a machine that has nothing yet a minute. */
async function build(): Promise<string> {
  const program = join(import.meta.dirname, '../../../../.switchboard/go-clients');
  await execa('go', ['build', '-mod=readonly', '-o', program, '.'], { cwd: join(import.meta.dirname, 'go') });
  return program;
}

async function runClient([command, ...args]: [string, ...string[]], input: object, address: Address) {
  const { stdout } = await execa(command, args, {
    input: JSON.stringify(input),
    env: { BASE_URL: address.base_url, PROJECT_KEY: address.project_key },
  });
  return JSON.parse(stdout);
}
