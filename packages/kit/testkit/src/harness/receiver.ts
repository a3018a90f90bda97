import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  headers: Record<string, string>;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test states what it expects of a body.
  json: any;
  path: string;
}

export interface Receiver {
  url: string;
  requests: Received[];
  close(): Promise<void>;
}

/** Answers the request with this number, the first of which is 1. */
type Respond = (response: ServerResponse, number: number, received: Received) => void;

/** Starts an HTTP server that records requests. Answers 204 by default. */
export async function startReceiver(
  respond: Respond = (response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const received = {
      headers: textsOf(request.headers),
      body,
      json: JSON.parse(body),
      path: request.url ?? '',
    };
    requests.push(received);
    respond(response, requests.length, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const textsOf = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
