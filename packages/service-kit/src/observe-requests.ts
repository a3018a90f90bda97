import type { Operation } from '@switchboard/contracts';
import type { Context, Next } from 'hono';
import { addCommonHeaders, commonHeaders } from './answer-headers.ts';
import type { CommonConfig, ServiceContext } from './context.ts';
import type { KitEnv } from './env.ts';
import { clientAddress, requestId } from './request-facts.ts';
import { inScope } from './scope.ts';
import type { Span, Tracing } from './tracing/tracing.ts';

interface Observing {
  context: ServiceContext<CommonConfig>;
  consoleOrigin: string;
}

/**
 * Middleware around every request: gives it an id and a scope, so that each line logged and each record published
 * for it names it, and measures, traces and logs how it ended.
 */
export function observeRequests({ context, consoleOrigin }: Observing) {
  const { config, logger, metrics, tracing } = context;
  let inFlight = 0;
  metrics.gauge('switchboard_http_requests_in_flight', 'Requests that are being answered.', () => inFlight);

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
    c.set('address', clientAddress(c, config.TRUSTED_PROXY_HOPS));
    const span = tracing && startSpan(c, tracing, id);
    return inScope({ requestId: id, span }, () => serve(c, next, span));
  };
}

/** What is asked for again and again without anybody waiting for it makes no trace. */
const UNTRACED = /^\/(health\/|metrics$)/;

function startSpan(c: Context<KitEnv>, tracing: Tracing, id: string): Span | undefined {
  const { method, path } = c.req;
  if (UNTRACED.test(path)) return undefined;
  // No url.path: some hold a link's token or a key.
  const attributes = { 'http.request.method': method, 'url.scheme': 'http', 'switchboard.request_id': id };
  const cause = { traceparent: c.req.header('traceparent'), tracestate: c.req.header('tracestate') };
  return tracing.start({ name: method, kind: 'server', attributes }, [cause]);
}

function endSpan(c: Context, span: Span): void {
  const operation: Operation | undefined = c.get('operation');
  const { status } = c.res;
  // Before access is settled there is none, whatever the type says.
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

/** What is no operation (health, metrics, a path that is not there) is the business of whoever asks. */
function levelOf(operation: Operation | undefined, status: number): 'error' | 'info' | 'debug' {
  if (operation === undefined || status < 400) return 'debug';
  return status >= 500 ? 'error' : 'info';
}
