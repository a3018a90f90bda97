import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the URL of a backing, from the environment. If it is undefined, skip the tests that need it
 * (`describe.skipIf(!brokers)`). With REQUIRE_BACKINGS=1 a missing backing is an error.
 */
export function backing(name: string): string | undefined {
  const value = process.env[name];
  if (value) return value;
  if (process.env['REQUIRE_BACKINGS'] !== '1') return undefined;
  throw new Error(`${name} is not set and REQUIRE_BACKINGS=1 does not allow its tests to be skipped`);
}

/** Returns the folder into which `deploy/backings/install.sh` installs. */
export function backingsHome(): string {
  return process.env['SWITCHBOARD_BACKINGS'] || join(homedir(), '.cache', 'switchboard-backings');
}

/**
 * Returns a program that a step of `deploy/backings/install.sh` builds. Returns undefined if it is not installed;
 * with REQUIRE_BACKINGS=1 that is an error.
 */
export function backingProgram(name: string, step = name): string | undefined {
  const home = backingsHome();
  const program = join(home, 'bin', name);
  if (existsSync(program)) return program;
  if (process.env['REQUIRE_BACKINGS'] !== '1') return undefined;
  throw new Error(`${name} is not installed in ${home}: run deploy/backings/install.sh ${step}`);
}
