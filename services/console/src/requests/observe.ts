import { headerOf, requestId } from '@switchboard/http';
import type { Metrics } from '@switchboard/runtime';
import type { MiddlewareHandler } from 'hono';

/** The addresses that are not the application's pages. */
const ROUTES = new Set([
  '/session/sign-in',
  '/session/token',
  '/session/sign-out',
  '/signed-in',
  '/operator/state',
  '/mcp',
]);
const MANAGEMENT = /^\/operator\/[^/]+\/management\//;
const POLLED = /^\/(health\/|metrics$)/;

/** Gives each response the id of its request, and measures it. All pages of the application are one route. */
export function observe(metrics: Metrics): MiddlewareHandler {
  return async (c, next) => {
    const startedAt = performance.now();
    c.header('X-Request-Id', requestId(headerOf(c, 'x-request-id')));
    await next();
    if (POLLED.test(c.req.path)) return;
    metrics.observeRequest(
      c.req.method,
      routeOf(c.req.path),
      c.res.status,
      (performance.now() - startedAt) / 1000,
    );
  };
}

function routeOf(path: string): string {
  if (ROUTES.has(path)) return path;
  if (MANAGEMENT.test(path)) return '/operator/{service}/management/v1/';
  return path.startsWith('/assets/') ? '/assets/{name}' : '/';
}
