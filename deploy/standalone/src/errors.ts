/** Standalone cannot go on; the message is the one line a person needs. */
export class StandaloneError extends Error {
  override name = 'StandaloneError';
}

const systemErrors: Record<string, string> = {
  ENOSPC: 'There is no space left on the disk.',
  EDQUOT: 'The disk quota is used up.',
  EROFS: 'The file system is read-only; set SWITCHBOARD_HOME to a folder that can be written.',
  EACCES: 'The folder may not be written; set SWITCHBOARD_HOME to one that can.',
  EPERM: 'The folder may not be written; set SWITCHBOARD_HOME to one that can.',
  ENOTDIR: 'SWITCHBOARD_HOME names something that is no folder.',
  EEXIST: 'SWITCHBOARD_HOME names something that is no folder.',
};

const SPOKEN = new Set([
  'StandaloneError',
  'DemoError',
  'EmbeddedPostgresError',
  'ListenError',
  'ConfigError',
  'ManagementError',
]);

/** One line for a person; undefined for a defect, whose stack is worth seeing. */
export function explain(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (SPOKEN.has(error.name)) return error.message;
  if ('code' in error && typeof error.code === 'string' && systemErrors[error.code] !== undefined) {
    const path = 'path' in error ? ` (${error.path})` : '';
    return `${systemErrors[error.code]}${path}`;
  }
  return error.cause === undefined ? undefined : explain(error.cause);
}
