import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import postgres from 'postgres';
import { PROJECT_ID } from '../lib/project.ts';
import { FLAG_COUNT } from './ruleset.ts';

/**
 * The lower bound for a server on Node.js. FLOOR=stringify responds with 100 flags through JSON.stringify on bare
 * `node:http`, without evaluation. FLOOR=read first reads the person's traits from FLOOR_DATABASE_URL.
 * FLOOR=project reads a project's flags from there, parses them, and responds with prepared bytes. FLOOR=hono responds
 * with 304 and prepared bytes through Hono, without checking a key.
 */
const port = Number(process.env['PORT']);
const flags = Object.fromEntries(
  Array.from({ length: FLAG_COUNT }, (_, index) => [`feature-flag-${index}`, index % 2 === 0]),
);
const variants = Object.fromEntries(
  Array.from({ length: FLAG_COUNT / 4 }, (_, index) => [`feature-flag-${index}`, 'treatment']),
);

function answer(response: ServerResponse, isEnabled: boolean): void {
  flags['feature-flag-0'] = isEnabled;
  const body = JSON.stringify({ flags, variants });
  response
    .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    .end(body);
}

const parameterOf = ({ url = '/' }: IncomingMessage, name: string) =>
  new URL(url, 'http://floor').searchParams.get(name) ?? '';
const personOf = (request: IncomingMessage) => parameterOf(request, 'distinct_id');
const preparedBytes = () => Buffer.alloc(Number(process.env['FLOOR_BYTES'] ?? 20_000), 'x');

const floor = process.env['FLOOR'];
if (floor === 'stringify') {
  createServer((request, response) => answer(response, personOf(request) === 'user-0')).listen(
    port,
    '127.0.0.1',
  );
} else if (floor === 'read') {
  const sql = postgres(process.env['FLOOR_DATABASE_URL'] ?? '', { max: 10 });
  createServer(async (request, response) => {
    const rows = await sql`
      select traits from people where project_id = ${PROJECT_ID} and distinct_id = ${personOf(request)}`;
    answer(response, rows.length > 0);
  }).listen(port, '127.0.0.1');
} else if (floor === 'project') {
  const sql = postgres(process.env['FLOOR_DATABASE_URL'] ?? '', { max: 10 });
  const body = preparedBytes();
  createServer(async (request, response) => {
    const [row] =
      await sql`select document from rulesets where project_id = ${parameterOf(request, 'project')}`;
    const isFound = JSON.parse(row?.['document'] ?? '{}').flags !== undefined;
    response
      .writeHead(isFound ? 200 : 404, { 'Content-Type': 'application/json', 'Content-Length': body.length })
      .end(body);
  }).listen(port, '127.0.0.1');
} else {
  const body = preparedBytes();
  const app = new Hono();
  app.get('/304', (c) => c.body(null, 304));
  app.get('/200', () => new Response(body, { headers: { 'Content-Type': 'application/json' } }));
  app.get('/', (c) => c.text('ready'));
  serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
}
