import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Somebody else's HTTP server; `answer` may be changed while it runs. */
export async function httpServer(first: (seen: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const it = { answer: first };
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: await text(request) };
    seen.push(one);
    it.answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(it, {
    url: `http://127.0.0.1:${Object(server.address()).port}`,
    seen,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export type HttpServer = Awaited<ReturnType<typeof httpServer>>;

export const answerJson = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
