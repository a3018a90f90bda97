import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { currentScope } from './scope.ts';

export type { Logger } from 'pino';

interface LogOptions {
  service: string;
  level: string;
  /** Its number, if it is one of several. */
  worker?: number | undefined;
  /** Default: standard output. */
  destination?: DestinationStream;
}

/**
 * Logs JSON lines. Lines of a request carry its `requestId`, and `trace_id` and `span_id` if tracing is on.
 * Authorization, tokens and keys are redacted.
 */
export function createLogger({ service, level, worker, destination }: LogOptions): Logger {
  const options: LoggerOptions = {
    level,
    base: worker === undefined ? { service } : { service, worker },
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
    mixin: scopeFields,
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** A line's own request id takes precedence over that of the scope. */
function scopeFields(own: object): object {
  const { requestId, span } = currentScope() ?? {};
  const request = requestId === undefined || 'requestId' in own ? {} : { requestId };
  return span === undefined ? request : { ...request, trace_id: span.traceId, span_id: span.spanId };
}

/** An error and its causes, without the properties that drivers add (queries, parameters, hosts). */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  // Drizzle puts the query and its parameters into the message; the cause has the actual error.
  const message = error.message.startsWith('Failed query:') ? 'query failed' : error.message;
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, message, ...code, ...cause, stack: stack?.slice(0, 12).join('\n') };
}
