import { demoFile, readIfExists } from '@switchboard/demo';
import { z } from 'zod';

/** Thrown when standalone cannot start. The message is one line for the person who started it. */
export class StandaloneError extends Error {
  override name = 'StandaloneError';
}

/** Thrown when the command line is invalid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const SYSTEM_ERRORS: Record<string, string> = {
  ENOSPC: 'No space left on the disk.',
  EDQUOT: 'The disk quota is exceeded.',
  EROFS: 'The file system is read-only. Set SWITCHBOARD_HOME to a writable folder.',
  EACCES: 'The folder is not writable. Set SWITCHBOARD_HOME to a writable folder.',
  EPERM: 'The folder is not writable. Set SWITCHBOARD_HOME to a writable folder.',
  ENOTDIR: 'SWITCHBOARD_HOME is not a folder.',
  EEXIST: 'SWITCHBOARD_HOME is not a folder.',
};

const EXPECTED_ERRORS = new Set([
  'StandaloneError',
  'UsageError',
  'DemoError',
  'EmbeddedPostgresError',
  'ListenError',
  'ConfigError',
  'ManagementError',
]);

const PROBE_MS = 1000;
const SECOND_INSTANCE =
  'Stop it with Ctrl-C, or start a second instance with PORT=0 SWITCHBOARD_HOME=.switchboard-2';

/** Returns one line that explains an error to a person, or undefined for a bug, which needs its stack trace. */
export async function explain(error: unknown, home: string): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ListenError' || error.name === 'EmbeddedPostgresError') {
    const url = await runningInstance(home);
    if (url !== undefined) return `Switchboard already runs at ${url} on ${home}. ${SECOND_INSTANCE}.`;
  }
  if (EXPECTED_ERRORS.has(error.name)) return error.message;
  if ('code' in error && typeof error.code === 'string' && SYSTEM_ERRORS[error.code] !== undefined) {
    const path = 'path' in error ? ` (${error.path})` : '';
    return `${SYSTEM_ERRORS[error.code]}${path}`;
  }
  return error.cause === undefined ? undefined : explain(error.cause, home);
}

/** Returns the address of an instance that runs on this folder: demo.json names it, and it responds there. */
async function runningInstance(home: string): Promise<string | undefined> {
  try {
    const { base_url } = z
      .object({ base_url: z.string() })
      .parse(JSON.parse((await readIfExists(demoFile(home))) ?? '{}'));
    const response = await fetch(`${base_url}/health/live`, { signal: AbortSignal.timeout(PROBE_MS) });
    return response.ok ? base_url : undefined;
  } catch {
    return undefined;
  }
}
