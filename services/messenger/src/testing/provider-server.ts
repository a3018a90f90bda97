import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Starts an HTTP server in place of a provider. `answer` can be replaced while it runs. */
export async function startProviderServer(
  initial: (received: ReceivedRequest, response: ServerResponse) => void,
) {
  const received: ReceivedRequest[] = [];
  const state = { answer: initial };
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: await text(request) };
    received.push(one);
    state.answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${Object(server.address()).port}`,
    received,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export type ProviderServer = Awaited<ReturnType<typeof startProviderServer>>;

export const answerJson = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
