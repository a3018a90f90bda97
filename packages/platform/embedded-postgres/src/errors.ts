/** The reason why PostgreSQL cannot run, in one line for the user. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

interface Place {
  directory: string;
  port?: number;
}

const START_OVER = 'Restore a backup of it, or move it away to start with empty databases.';

const EXPLANATIONS: [pattern: RegExp, explain: (place: Place, line: string) => string][] = [
  [
    /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/,
    ({ directory }) => `No disk space left for PostgreSQL in ${directory}. Free some space and start again.`,
  ],
  [
    /Address already in use/,
    ({ port }) =>
      `Port ${port} of 127.0.0.1 is taken. Stop the process that uses it, or choose another port.`,
  ],
  [/could not bind/, ({ port }, line) => `PostgreSQL cannot listen on port ${port} of 127.0.0.1: ${line}`],
  [
    /lock file ".*" already exists|is still in use|lock file ".*" is empty/,
    ({ directory }) => `Another PostgreSQL uses ${directory}. Stop it first.`,
  ],
  [
    /incompatible with server/,
    ({ directory }, line) => `${directory} was created by another PostgreSQL (${line}). ${START_OVER}`,
  ],
  [
    /could not look up effective user ID/,
    () => 'PostgreSQL requires that the current user has a name (an entry in /etc/passwd).',
  ],
  [
    /shared librar|required by|GLIBC|Exec format error|ENOENT|cannot execute/,
    (_, line) => `The programs of PostgreSQL do not run on this machine: ${line}`,
  ],
  [
    /Permission denied|Operation not permitted|Read-only file system|wrong ownership|EACCES|EPERM|EROFS|ENOTDIR|EEXIST/,
    ({ directory }, line) => `Cannot use the folder ${directory}: ${line}`,
  ],
  [
    /pg_control|control file|checkpoint|invalid page|could not (open|read|access) |invalid (magic|record|data)|does not exist|cache lookup/,
    ({ directory }, line) => `The data in ${directory} is damaged: ${line}. ${START_OVER}`,
  ],
];

/** Converts the output of PostgreSQL's programs, or an error of the file system, to a one-line error. */
export function explain(output: string, place: Place): EmbeddedPostgresError {
  const lines = output.split('\n').map((line) => line.trim());
  const serious = lines.filter((line) => /\b(FATAL|PANIC|ERROR|error|LOG: +could not)\b/.test(line));
  for (const [pattern, message] of EXPLANATIONS) {
    const line = [...serious, ...lines].find((candidate) => pattern.test(candidate));
    if (line !== undefined) return new EmbeddedPostgresError(message(place, withoutPrefix(line)));
  }
  const last = serious.at(-1) ?? lines.findLast((line) => line !== '') ?? 'no reason given';
  return new EmbeddedPostgresError(`PostgreSQL does not start in ${place.directory}: ${withoutPrefix(last)}`);
}

/** Converts an error of the file system to a one-line error. Returns other errors unchanged. */
export function explainError(error: unknown, place: Place): unknown {
  if (error instanceof EmbeddedPostgresError || !(error instanceof Error)) return error;
  return 'code' in error && 'syscall' in error ? explain(error.message, place) : error;
}

function withoutPrefix(line: string): string {
  return line.replace(/^.*?\b(FATAL|PANIC|ERROR|error|LOG): +/, '').replace(/\.$/, '');
}
