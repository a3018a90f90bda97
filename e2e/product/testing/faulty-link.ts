import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/**
 * `gone`: connections end without a response. For POST only: `busy`: 503 with Retry-After: 1; `limited`: 429; `lost`:
 * requests arrive, but the response is lost.
 */
export type Fault = 'gone' | 'busy' | 'limited' | 'lost' | undefined;

export interface Arrival {
  at: number;
  path: string;
  body: string;
  fault: Fault;
}

export interface FaultyLink {
  url: string;
  /** The address of the server. */
  upstream: string;
  /** All POST requests, with the body as text. */
  arrivals: Arrival[];
  fault: Fault;
  close(): void;
}

/** Creates an address that forwards requests to a server, or fails as configured. */
export async function faultyLink(upstream: string): Promise<FaultyLink> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const { fault } = link;
      if (fault === 'gone') return void outgoing.destroy();
      if (incoming.method === 'POST') {
        const body = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
        link.arrivals.push({ at: Date.now(), path: incoming.url ?? '', body: body.toString(), fault });
        if (fault === 'busy' || fault === 'limited') {
          outgoing.writeHead(fault === 'busy' ? 503 : 429, {
            'Retry-After': '1',
            'Access-Control-Allow-Origin': '*',
            'Access-Control-Expose-Headers': 'Retry-After',
          });
          outgoing.end();
          return;
        }
      }
      const { method, url, headers } = incoming;
      const passed = request(`${link.upstream}${url}`, { method, headers }, (answer) => {
        if (fault === 'lost' && method === 'POST') return void answer.resume();
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      passed.end(bytes);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const link: FaultyLink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream,
    arrivals: [],
    fault: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return link;
}
