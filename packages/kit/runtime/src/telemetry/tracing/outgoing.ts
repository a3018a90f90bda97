import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { currentScope } from '../scope.ts';
import type { Span } from './tracing.ts';

/** The messages of undici, which implements `fetch`, on its diagnostics channels. */
interface Told {
  request: { origin: string | URL; method: string };
  response?: { statusCode: number };
  error?: Error;
}

/**
 * Creates a span for every `fetch` in a traced scope, which ends with the response headers. The trace context is not
 * sent, because the servers are third parties. Returns a function that stops tracing.
 */
export function traceFetches(): () => void {
  const spans = new WeakMap<Told['request'], Span>();

  const listeners: Record<string, (message: unknown) => void> = {
    'undici:request:create': (message) => {
      const { request } = told(message);
      const parent = currentScope()?.span;
      if (parent === undefined) return;
      const { protocol, hostname, port } = new URL(request.origin);
      const attributes = {
        'http.request.method': request.method,
        'server.address': hostname,
        'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
        'url.scheme': protocol.slice(0, -1),
      };
      spans.set(request, parent.child({ name: request.method, kind: 'client', attributes }));
    },
    'undici:request:headers': (message) => {
      const { request, response } = told(message);
      const status = response?.statusCode ?? 0;
      spans.get(request)?.end({
        attributes: { 'http.response.status_code': status },
        ...(status >= 400 && { failure: status }),
      });
      spans.delete(request);
    },
    'undici:request:error': (message) => {
      const { request, error } = told(message);
      spans.get(request)?.end({ failure: error ?? 'Error' });
      spans.delete(request);
    },
  };

  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener);
  };
}

// The channels have no types; their messages are documented at
// https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md
const told = (message: unknown): Told => message as Told;
