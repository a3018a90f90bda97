import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { currentScope } from './scope.ts';

export type { Logger } from 'pino';

interface OurOptions {
  service: string;
  level: string;
  /** Default standard output. */
  destination?: DestinationStream;
}

/**
 * JSON lines. What is written while a request is handled names it (`requestId`), and its trace when traces are on
 * (`trace_id`, `span_id`). Authorization, tokens and keys never reach a line.
 */
export function createLogger({ service, level, destination }: OurOptions): Logger {
  const options: LoggerOptions = {
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
    mixin: scopeFacts,
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** A line's own request id goes before that of the work under way. */
function scopeFacts(own: object): object {
  const { requestId, span } = currentScope() ?? {};
  const request = requestId === undefined || 'requestId' in own ? {} : { requestId };
  return span === undefined ? request : { ...request, trace_id: span.traceId, span_id: span.spanId };
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
