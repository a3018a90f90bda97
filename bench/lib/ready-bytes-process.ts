import { createServer } from 'node:http';

/** The lower bound: bare `node:http` that sends `/<bytes>` prepared bytes, or a 304 without a body. */
const bodies = new Map<number, Buffer>();

createServer((request, response) => {
  const bytes = Number(request.url?.slice(1));
  if (request.headers['if-none-match'] !== undefined) {
    response.writeHead(304, { ETag: request.headers['if-none-match'] }).end();
    return;
  }
  const body = bodies.get(bytes) ?? Buffer.alloc(bytes, 'x');
  bodies.set(bytes, body);
  response
    .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': bytes })
    .end(body);
}).listen(Number(process.env['PORT']), '127.0.0.1');
