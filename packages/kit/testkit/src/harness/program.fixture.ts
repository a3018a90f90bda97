import { createServer } from 'node:http';

// A server for the harness's own tests. It is ready 100 ms after it listens, and exits 20 ms after SIGTERM, with
// code 3.
let isReady = false;
const server = createServer((request, response) => {
  const environment = JSON.stringify({ pid: process.pid, environment: process.env });
  response.writeHead(request.url === '/ready' && !isReady ? 503 : 200).end(environment);
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', run: process.env['RUN'] ?? 'first' }));
  console.error('a warning');
  setTimeout(() => {
    isReady = true;
  }, 100);
});
process.on('SIGTERM', () => {
  console.log('leaving');
  setTimeout(() => process.exit(3), 20);
});
