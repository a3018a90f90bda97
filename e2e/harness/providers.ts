import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { freePort } from '@switchboard/testkit';
import { z } from 'zod';

const completion = z.object({ messages: z.array(z.object({ role: z.string(), content: z.unknown() })) });

/** Fake external providers: a help site, and an AI that returns the text it gets. */
export async function startProviders() {
  const site = { url: 'https://help.example.com', articles: 12, languages: ['en'], capped: false };
  const server = createServer(async (request, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (request.url?.startsWith('/companies/')) {
      response.end(JSON.stringify(site));
      return;
    }
    const { messages } = completion.parse(await json(request));
    const asked = messages.findLast(({ role }) => role === 'user')?.content;
    const text = typeof asked === 'string' ? asked : JSON.stringify(asked);
    const { texts } = z.object({ texts: z.array(z.string()) }).parse(JSON.parse(text));
    const message = { role: 'assistant', content: JSON.stringify({ texts }) };
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
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${port}`;
  return {
    settings: {
      HELP_SITE_URL: url,
      HELP_SITE_TOKEN: 'help-site-token-of-the-end-to-end-tests',
      AI_BASE_URL: url,
      AI_API_KEY: 'ai-key-of-the-end-to-end-tests',
      AI_MODEL: 'echo',
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
