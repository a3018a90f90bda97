import type { Operation } from '@switchboard/contracts';
import type { Context, Next } from 'hono';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { inScope } from '../telemetry/scope.ts';
import type { Span, Tracing } from '../telemetry/tracing/tracing.ts';
import type { KitEnv } from './env.ts';
import { clientAddress, requestId } from './request-info.ts';
import { addCommonHeaders, commonHeaders } from './response-headers.ts';

interface ObserveOptions {
  logger: Logger;
  metrics: Metrics;
  tracing: Tracing | undefined;
  /** Number of trusted proxies in front of the service. */
  trustedHops: number;
  consoleOrigin: string;
}

/**
 * Middleware around every request: assigns its id and its scope, which log lines and published records carry, and
 * measures, traces and logs its outcome.
 */
export function observeRequests({ logger, metrics, tracing, trustedHops, consoleOrigin }: ObserveOptions) {
  let inFlight = 0;
  metrics.gauge('switchboard_http_requests_in_flight', 'Requests in progress.', () => inFlight);

  async function serve(c: Context<KitEnv>, next: Next, span: Span | undefined): Promise<void> {
    const startedAt = performance.now();
    inFlight++;
    try {
      await next();
    } finally {
      inFlight--;
    }
    const operation = c.get('operation');
    addCommonHeaders(c, commonHeaders(c, operation, consoleOrigin));
    const { status } = c.res;
    const { method } = c.req;
    const seconds = (performance.now() - startedAt) / 1000;
    const route = operation?.path ?? 'other';
    metrics.observeRequest(method, route, status, seconds);
    if (span !== undefined) endSpan(c, span);
    const level = levelOf(operation, status);
    if (logger.isLevelEnabled(level)) logger[level]({ method, route, status, seconds }, 'request');
  }

  return (c: Context<KitEnv>, next: Next): Promise<void> => {
    const id = requestId(c.req.header('x-request-id'));
    c.set('requestId', id);
    c.set('address', clientAddress(c, trustedHops));
    const span = tracing && startSpan(c, tracing, id);
    return inScope({ requestId: id, span }, () => serve(c, next, span));
  };
}

/** Polled paths are not traced. */
const UNTRACED = /^\/(health\/|metrics$)/;

function startSpan(c: Context<KitEnv>, tracing: Tracing, id: string): Span | undefined {
  const { method, path } = c.req;
  if (UNTRACED.test(path)) return undefined;
  // url.path is left out: it may contain a link's token or a key.
  const attributes = { 'http.request.method': method, 'url.scheme': 'http', 'switchboard.request_id': id };
  const cause = { traceparent: c.req.header('traceparent'), tracestate: c.req.header('tracestate') };
  return tracing.start({ name: method, kind: 'server', attributes }, [cause]);
}

function endSpan(c: Context, span: Span): void {
  const operation: Operation | undefined = c.get('operation');
  const { status } = c.res;
  // Absent until access is granted.
  const project: { id: string } | undefined = c.get('project');
  span.end({
    ...(operation && { name: `${c.req.method} ${operation.path}` }),
    attributes: {
      'http.response.status_code': status,
      ...(operation && { 'http.route': operation.path }),
      ...(project && { 'switchboard.project_id': project.id }),
    },
    ...(status >= 500 && { failure: status }),
  });
}

/** Requests for anything but an operation (health, metrics, unknown paths) are logged at debug. */
function levelOf(operation: Operation | undefined, status: number): 'error' | 'info' | 'debug' {
  if (operation === undefined || status < 400) return 'debug';
  return status >= 500 ? 'error' : 'info';
}
