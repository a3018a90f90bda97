import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export interface Arrival {
  path: string;
  /** The ids in the body. */
  ids: string[];
  body: string;
  status: number;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  message?: string;
  /** The response body that replaces the one with the message. */
  body?: object;
}

export type Decide = (arrival: Omit<Arrival, 'status'>) => Answer | undefined | Promise<undefined>;

/** Starts a server that records requests and returns the configured responses, by default 202. */
export async function startReceiver(decide: Decide = () => undefined) {
  const arrivals: Arrival[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const bytes = await buffer(incoming);
    const body = (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
    const ids = [...body.matchAll(/"event_id":"([^"]+)"/g)].map(([, id = '']) => id);
    const arrival = { path: incoming.url ?? '', ids, body };
    const {
      status,
      headers = {},
      message = '',
      body: answer = { message },
    } = (await decide(arrival)) ?? { status: 202 };
    arrivals.push({ ...arrival, status });
    outgoing.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    outgoing.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    /** Returns the ids of accepted requests, in their order. */
    accepted: () => arrivals.filter(({ status }) => status < 300).flatMap(({ ids }) => ids),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Creates a snapshot of flags that are on, with a socket that no client reaches. */
export const snapshotOf = (keys: string[], rest: object = {}) => ({
  flags: keys.map((key) => ({ key, enabled: true, rolloutPercentage: 100, ...rest })),
  generatedAt: '2026-03-01T09:30:00.000Z',
  socketUrl: 'ws://127.0.0.1:9/v1/flags/socket',
});
