import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { WebSocketServer } from 'ws';
import { CommonServerResponse } from './answer-headers.ts';

interface ListenOptions {
  fetch: (request: Request, env: object) => Response | Promise<Response>;
  host: string;
  /** 0 picks a free one. */
  port: number;
}

export interface HttpServer {
  port: number;
  /**
   * From now on every answer says `Connection: close`, so that no proxy sends a request on a connection that is
   * about to be closed: only the sender could know whether such a request may be sent again.
   */
  drain(): void;
  /** Takes no new connections, waits for requests in flight, and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** The port is taken or may not be used; the message says which and what to do. */
export class ListenError extends Error {
  override name = 'ListenError';
}

/** Longest message a client may send on a socket, in bytes. */
const SOCKET_MESSAGE_BYTES = 16_384;

/** Serves HTTP, and WebSockets on routes that upgrade (`upgradeWebSocket` of @hono/node-server). */
export async function listen({ fetch, host, port }: ListenOptions): Promise<HttpServer> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: SOCKET_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  const server = createAdaptorServer({
    fetch,
    // @ts-expect-error @types/ws says more of `send` than the adaptor's type takes; ws is what it is made for.
    websocket: { server: sockets },
    serverOptions: {
      ServerResponse: CommonServerResponse,
      requestTimeout: 60_000,
      headersTimeout: 15_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 32_768,
    },
  }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ host, port }, resolve);
  });
  const drain = () =>
    void server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    drain,
    close: (graceMs) => closeServer(server, sockets, graceMs),
  };
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new ListenError(
      `Port ${port} on ${host} is taken. Stop what uses it, or set PORT to another one.`,
    );
  }
  if (error.code === 'EACCES')
    return new ListenError(`Port ${port} may not be used. Set PORT to one above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ListenError(`${host} is no address of this machine. Set HOST to one that is.`);
  }
  return error;
}

const GOING_AWAY = 1001;

async function closeServer(server: Server, sockets: WebSocketServer, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Idle keep-alive connections would hold the server open for their whole time-out.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  // The HTTP server no longer knows a connection that became a socket.
  for (const socket of sockets.clients) socket.close(GOING_AWAY, 'the server is leaving');
  const cut = setTimeout(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
  }, graceMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
