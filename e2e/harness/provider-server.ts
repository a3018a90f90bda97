// Imports only Node modules, because e2e/compose also runs it in a container: `node provider-server.ts <port>`.
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';

interface Completion {
  messages: { role: string; content: string }[];
}

/** Fake external providers: a help site, and an AI that returns the text it gets. */
export function providerServer(): Server {
  const site = { url: 'https://help.example.com', articles: 12, languages: ['en'], capped: false };
  return createServer(async (request, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (request.url?.startsWith('/companies/')) {
      response.end(JSON.stringify(site));
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    const { messages } = (await json(request)) as Completion;
    const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '{}';
    const message = { role: 'assistant', content: JSON.stringify({ texts: JSON.parse(asked).texts }) };
    response.end(
      JSON.stringify({
        id: 'one',
        object: 'chat.completion',
        created: 1,
        model: 'echo',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  });
}

if (import.meta.main) {
  const server = providerServer().listen(Number(process.argv[2]));
  process.on('SIGTERM', () => server.close().closeAllConnections());
}
