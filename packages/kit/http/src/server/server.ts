import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { LONGEST_DRAIN_MS, type Logger, type TlsFiles } from '@switchboard/runtime';
import { WebSocketServer } from 'ws';
import { boundLeftovers } from './leftovers.ts';
import { CommonServerResponse } from './response-headers.ts';
import { stageRequests } from './stages.ts';
import { followTls, tlsOptions } from './tls.ts';
import { boundUnread } from './unread.ts';

export type Fetch = (request: Request, env: object) => Response | Promise<Response>;

interface ListenOptions {
  fetch: Fetch;
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Serves HTTPS, and WSS. Default: plain HTTP. */
  tls?: TlsFiles | undefined;
  /** Logs new certificates. */
  logger?: Pick<Logger, 'info' | 'warn'>;
}

export interface HttpServer {
  port: number;
  /**
   * Serves for `ms` longer, with `Connection: close` on every response, so that no proxy sends a request on a
   * connection that is about to close: only the sender knows whether such a request may be repeated. A load balancer
   * that still sends requests has not noticed yet, so draining continues until it stops, for at most
   * LONGEST_DRAIN_MS.
   */
  drain(ms: number): Promise<void>;
  /** Stops accepting connections, waits for requests in flight, and closes the remaining ones after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** The port cannot be used. The message says why and what to do. */
export class ListenError extends Error {
  override name = 'ListenError';
}

/** The largest message that a client may send on a socket, in bytes. */
const MAX_MESSAGE_BYTES = 16_384;

/**
 * Serves HTTP, and WebSockets on routes that upgrade (`upgradeWebSocket` of @hono/node-server). Throws ListenError, and
 * ConfigError if the files of `tls` cannot be used.
 */
export async function listen({ fetch, host, port, tls, logger }: ListenOptions): Promise<HttpServer> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const server = createAdaptorServer({
    fetch,
    // See boundLeftovers.
    autoCleanupIncoming: false,
    // @ts-expect-error @types/ws declares `send` more narrowly than the adaptor, which uses ws.
    websocket: { server: sockets },
    ...(tls && { createServer: createTlsServer }),
    serverOptions: {
      ...(tls && tlsOptions(tls)),
      ServerResponse: CommonServerResponse,
      requestTimeout: 60_000,
      headersTimeout: 15_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 32_768,
      shouldUpgradeCallback: isUpgrade,
    },
  }) as Server;
  stageRequests(server);
  boundUnread(server);
  boundLeftovers(server);
  if (tls !== undefined && server instanceof TlsServer) followTls(server, tls, logger);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    // Without an address Node.js listens on all of IPv6 and IPv4, or only IPv4 where the kernel has no IPv6.
    server.listen(host === '::' ? { port } : { host, port }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    drain: (ms) => drainServer(server, ms),
    close: (graceMs) => closeServer(server, sockets, graceMs),
  };
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new ListenError(
      `Port ${port} on ${host} is in use. Stop the process that uses it, or set PORT to a free port.`,
    );
  }
  if (error.code === 'EACCES')
    return new ListenError(`Port ${port} requires privileges. Set PORT to a port above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ListenError(`${host} is not an address of this machine. Set HOST to an address of it.`);
  }
  return error;
}

/** The time in which the client of a rejected upgrade, or of a closed socket, can close its side. */
const LINGER_MS = 5_000;

/**
 * Whether Node hands over the connection to a WebSocket. Any other upgrade is ignored, as RFC 9110 allows, and gets
 * the response of its path. Node no longer closes a connection that it handed over: without the timer, a client that
 * never closes its side would hold it forever.
 */
function isUpgrade({ headers, socket }: IncomingMessage): boolean {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return false;
  socket.once('finish', () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
  return true;
}

/**
 * The time without requests, other than health checks, after which draining ends; at most that of the drain itself.
 */
const QUIET_MS = 1_000;

async function drainServer(server: Server, ms: number): Promise<void> {
  const startedAt = performance.now();
  let lastAt = startedAt;
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
    if (!request.url?.startsWith('/health/')) lastAt = performance.now();
  });
  const quietMs = Math.min(QUIET_MS, ms);
  const endsAt = () => Math.min(startedAt + LONGEST_DRAIN_MS, Math.max(startedAt + ms, lastAt + quietMs));
  for (let left = ms; left > 0; left = endsAt() - performance.now()) {
    await sleep(left);
    await arrivedIsRead();
  }
}

const GOING_AWAY = 1001;

/**
 * Resolves once Node has read all data received so far, including on connections that it had not accepted. After a
 * long turn of the event loop such connections count as idle while a request is in the kernel's buffer.
 */
async function arrivedIsRead(): Promise<void> {
  for (let polls = 0; polls < 2; polls++) await nextTurn();
}

async function closeServer(server: Server, sockets: WebSocketServer, graceMs: number): Promise<void> {
  await arrivedIsRead();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Idle keep-alive connections would keep the server open until they time out.
  const sweep = setInterval(() => void arrivedIsRead().then(() => server.closeIdleConnections()), 50);
  // The HTTP server does not track connections that were upgraded.
  for (const socket of sockets.clients) socket.close(GOING_AWAY, 'server shutting down');
  const cut = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
  }, graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
