import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

interface LoggerOptions {
  service: string;
  level: string;
}

/** JSON lines on standard output. Authorization, tokens and keys never reach a line. */
export function createLogger({ service, level }: LoggerOptions): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'authorization',
        'token',
        'key',
        'secret',
        'password',
        '*.authorization',
        '*.token',
        '*.secret',
      ],
      censor: '[redacted]',
    },
    serializers: { error: describeError },
  });
}

/** An error and its causes, without the properties that drivers hang on them (queries, parameters, hosts). */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  // Drizzle puts the query and its parameters into the message; its cause says what went wrong.
  const message = error.message.startsWith('Failed query:') ? 'query failed' : error.message;
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, message, ...code, ...cause, stack: stack?.slice(0, 12).join('\n') };
}
