import { once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** An SMTP server that records mails, in place of the one in docker-compose.yml. */
export async function mailServer(port: number) {
  const received: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      received.push(await PostalMime.parse(Buffer.concat(chunks)));
      callback();
    },
  });
  server.on('error', () => undefined);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { received, stop: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
