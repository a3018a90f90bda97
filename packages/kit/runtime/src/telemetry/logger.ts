import { type DestinationStream, type LoggerOptions, type Logger as PinoLogger, pino } from 'pino';
import { boundedFailures, type Failed } from './failures.ts';
import { currentScope } from './scope.ts';

export interface Logger extends PinoLogger {
  failed: Failed;
}

interface LogOptions {
  service: string;
  level: string;
  /** The number of the worker, if there are several. */
  worker?: number | undefined;
  /** Default: standard output. */
  destination?: DestinationStream;
}

/**
 * Creates a logger of JSON lines. Lines of a request carry its `requestId` and `project`, and `trace_id` and
 * `span_id` if tracing is on. Authorization, tokens and keys are redacted.
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
  const lines = destination === undefined ? pino(options) : pino(options, destination);
  return Object.assign(lines, { failed: boundedFailures(lines) });
}

/** Returns a logger that also counts failures of background work. */
export function countFailures(logger: Logger, metrics: { failed(task: string): void }): Logger {
  const failed: Failed = (task, error, fields) => {
    metrics.failed(task);
    logger.failed(task, error, fields);
  };
  return Object.assign(logger.child({}), { failed });
}

/** Returns the fields of the scope. The line's own fields take precedence. */
function scopeFields(own: object): object {
  const { requestId, span, exchange } = currentScope() ?? {};
  const project = exchange?.projectId;
  return {
    ...(requestId !== undefined && !('requestId' in own) && { requestId }),
    ...(project !== undefined && !('project' in own) && { project }),
    ...(span !== undefined && { trace_id: span.traceId, span_id: span.spanId }),
  };
}

/** Describes an error and its causes, without the properties that drivers add (queries, parameters, hosts). */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  // Drizzle puts the query and its parameters into the message. The cause has the actual error.
  const message = error.message.startsWith('Failed query:') ? 'query failed' : error.message;
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, message, ...code, ...cause, stack: stack?.slice(0, 12).join('\n') };
}
