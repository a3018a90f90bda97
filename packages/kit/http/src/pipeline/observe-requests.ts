import {
  boundedLines,
  inScope,
  type Logger,
  type Metrics,
  type Span,
  type Tracing,
} from '@switchboard/runtime';
import type { Hono } from 'hono';
import type { Exchange, KitEnv } from '../exchange/env.ts';
import { clientAddress, joinedHeader, requestId } from '../exchange/request-info.ts';
import { addCommonHeaders, commonHeaders } from '../server/response-headers.ts';

interface ObserveOptions {
  logger: Logger;
  metrics: Metrics;
  tracing: Tracing | undefined;
  /** The number of trusted proxies in front of the service. */
  trustedHops: number;
  consoleOrigin: string;
  /** Called with each response to a request of a project that is known. */
  onAnswer(exchange: Exchange, status: number): void;
}

type Fetch = Hono<KitEnv>['fetch'];

/**
 * Wraps an app. Assigns each request's id and its scope, which log lines and published records carry. Measures,
 * traces and logs its outcome. Not a middleware, since Hono would create several promises for every request.
 */
export function observeRequests(
  fetch: Fetch,
  { logger, metrics, tracing, trustedHops, consoleOrigin, onAnswer }: ObserveOptions,
): Fetch {
  const logFailure = boundedLines(logger);
  let inFlight = 0;
  metrics.gauge('switchboard_http_requests_in_flight', 'Requests in progress.', () => inFlight);

  function finish(
    request: Request,
    response: Response,
    exchange: Exchange,
    startedAt: number,
    span: Span | undefined,
  ): Response {
    const { operation, projectId } = exchange;
    addCommonHeaders(
      response,
      exchange,
      commonHeaders(request, operation, consoleOrigin, exchange.corsOrigin),
    );
    const { status } = response;
    const { method } = request;
    const seconds = (performance.now() - startedAt) / 1000;
    const route = operation?.path ?? 'other';
    metrics.observeRequest(method, route, status, seconds);
    if (projectId !== undefined) {
      metrics.observeProject(projectId, status, seconds);
      onAnswer(exchange, status);
    }
    if (span !== undefined) endSpan(method, status, exchange, span);
    if (operation !== undefined && status >= 400) {
      const level = status >= 500 ? 'error' : 'info';
      const cause = { method, route, status };
      logFailure({ level, cause, details: () => ({ seconds }), message: 'request' });
    } else if (logger.isLevelEnabled('debug')) {
      // Requests that are not operations: health, metrics, unknown paths.
      logger.debug({ method, route, status, seconds }, 'request');
    }
    return response;
  }

  function serveLater(
    request: Request,
    answering: Promise<Response>,
    exchange: Exchange,
    startedAt: number,
    span: Span | undefined,
  ): Promise<Response> {
    inFlight++;
    return answering.then(
      (response) => {
        inFlight--;
        return finish(request, response, exchange, startedAt, span);
      },
      (error) => {
        inFlight--;
        throw error;
      },
    );
  }

  return (request, env, executionContext) => {
    const startedAt = performance.now();
    const id = requestId(joinedHeader(request, env, 'x-request-id'));
    const exchange: Exchange = Object.assign(env ?? {}, {
      requestId: id,
      address: clientAddress(request, env, trustedHops),
    });
    const span = tracing && startSpan(request, tracing, id);
    return inScope({ requestId: id, span, exchange }, () => {
      const answer = fetch(request, exchange, executionContext);
      return answer instanceof Promise
        ? serveLater(request, answer, exchange, startedAt, span)
        : finish(request, answer, exchange, startedAt, span);
    });
  };
}

/** Polled paths are not traced. */
const UNTRACED = /^https?:\/\/[^/]+\/(health\/|metrics$)/;

function startSpan({ method, url, headers }: Request, tracing: Tracing, id: string): Span | undefined {
  if (UNTRACED.test(url)) return undefined;
  // url.path is left out: it may contain a link's token or a key.
  const attributes = { 'http.request.method': method, 'url.scheme': 'http', 'switchboard.request_id': id };
  const cause = {
    traceparent: headers.get('traceparent') ?? undefined,
    tracestate: headers.get('tracestate') ?? undefined,
  };
  return tracing.start({ name: method, kind: 'server', attributes }, [cause]);
}

function endSpan(method: string, status: number, { operation, projectId }: Exchange, span: Span): void {
  span.end({
    ...(operation && { name: `${method} ${operation.path}` }),
    attributes: {
      'http.response.status_code': status,
      ...(operation && { 'http.route': operation.path }),
      ...(projectId !== undefined && { 'switchboard.project_id': projectId }),
    },
    ...(status >= 500 && { failure: status }),
  });
}
