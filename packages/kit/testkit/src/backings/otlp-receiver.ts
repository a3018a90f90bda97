import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type ReceivedSpan, spansOf } from './otlp-wire.ts';

export interface OtlpReceiver {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  /** The spans received so far. */
  spans: ReceivedSpan[];
  /** Sets its behaviour from now on: accepts everything, rejects everything, or never responds. */
  become(behaviour: 'well' | 'failing' | 'stuck'): void;
  stop(): Promise<void>;
}

/** Starts a collector of traces, with OTLP over HTTP in protobuf. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let behaviour: 'well' | 'failing' | 'stuck' = 'well';
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (behaviour === 'stuck') return;
    if (behaviour === 'failing' || request.url !== '/v1/traces') {
      response.writeHead(behaviour === 'failing' ? 500 : 404).end();
      return;
    }
    spans.push(...spansOf(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver is not listening');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    spans,
    become(next) {
      behaviour = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
