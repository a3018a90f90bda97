// SMTP on 1025, `GET /api/v1/messages` on 8025, and the command `readyz`.
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createInterface } from 'node:readline';

if (process.argv[2] === 'readyz') {
  const answer = await fetch('http://127.0.0.1:8025/readyz').catch(() => undefined);
  process.exit(answer?.ok ? 0 : 1);
}

const MAX_MESSAGES = 200;
const messages = [];
const addressIn = (line) => ({ Address: /<(.*?)>/.exec(line)?.[1] ?? '' });

createTcpServer((socket) => {
  let message = { To: [] };
  let isData = false;
  const answer = (line) => socket.write(`${line}\r\n`);
  socket.on('error', () => socket.destroy());
  const lines = createInterface({ input: socket });
  // A probe that only connects resets the connection, and readline re-emits that error.
  lines.on('error', () => socket.destroy());
  lines.on('line', (line) => {
    if (isData) {
      if (line !== '.') return;
      messages.unshift(message);
      messages.splice(MAX_MESSAGES);
      message = { To: [] };
      isData = false;
      answer('250 accepted');
      return;
    }
    const verb = line.split(/[ :]/, 1)[0].toUpperCase();
    if (verb === 'MAIL') message.From = addressIn(line);
    if (verb === 'RCPT') message.To.push(addressIn(line));
    isData = verb === 'DATA';
    if (isData) return answer('354 end with a dot');
    if (verb === 'QUIT') return socket.end('221 closing\r\n');
    answer(['EHLO', 'HELO', 'MAIL', 'RCPT', 'RSET', 'NOOP'].includes(verb) ? '250 ok' : '502 unknown');
  });
  answer('220 ready');
}).listen(1025);

createHttpServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (pathname !== '/readyz' && pathname !== '/api/v1/messages') return response.writeHead(404).end();
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(pathname === '/readyz' ? 'ok' : { total: messages.length, messages }));
}).listen(8025);

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
