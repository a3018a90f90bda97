import { createServer } from 'node:http';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import postgres from 'postgres';
import { PROJECT_ID } from './deployment.ts';
import { FLAG_COUNT } from './ruleset.ts';

/**
 * The lower bound for a server on Node.js. FLOOR=stringify answers 100 flags with JSON.stringify on bare `node:http` and
 * evaluates nothing; FLOOR=read reads the person's traits from FLOOR_DATABASE_URL first; FLOOR=hono answers 304 and
 * prepared bytes through Hono, and checks no key.
 */
const port = Number(process.env['PORT']);
const flags = Object.fromEntries(
  Array.from({ length: FLAG_COUNT }, (_, index) => [`feature-flag-${index}`, index % 2 === 0]),
);
const variants = Object.fromEntries(
  Array.from({ length: FLAG_COUNT / 4 }, (_, index) => [`feature-flag-${index}`, 'treatment']),
);

const bare = (isEnabled: (distinctId: string) => boolean | Promise<boolean>) =>
  createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://floor');
    const enabled = isEnabled(searchParams.get('distinct_id') ?? '');
    flags['feature-flag-0'] = typeof enabled === 'boolean' ? enabled : await enabled;
    const body = JSON.stringify({ flags, variants });
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
      .end(body);
  }).listen(port, '127.0.0.1');

const floor = process.env['FLOOR'];
if (floor === 'stringify') bare((distinctId) => distinctId === 'user-0');
else if (floor === 'read') {
  const sql = postgres(process.env['FLOOR_DATABASE_URL'] ?? '', { max: 10 });
  bare(async (distinctId) => {
    const rows = await sql`
      select traits from people where project_id = ${PROJECT_ID} and distinct_id = ${distinctId}`;
    return rows.length > 0;
  });
} else {
  const body = Buffer.alloc(Number(process.env['FLOOR_BYTES'] ?? 20_000), 'x');
  const app = new Hono();
  app.get('/304', (c) => c.body(null, 304));
  app.get('/200', () => new Response(body, { headers: { 'Content-Type': 'application/json' } }));
  app.get('/', (c) => c.text('ready'));
  serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
}
