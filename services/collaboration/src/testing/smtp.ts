import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  to: string[];
  raw: string;
  mail: Email;
}

export interface MailServer {
  url: string;
  received: ReceivedMail[];
  /** What it does at RCPT TO; an error refuses. */
  onRecipient: (address: string) => Promise<void> | void;
  /** Starts it again on its port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A real SMTP server that keeps what it is sent. */
export async function mailServer(): Promise<MailServer> {
  let server: SMTPServer | undefined;
  let port = 0;
  const options: SMTPServerOptions = {
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _, callback) {
      Promise.resolve(address)
        .then(self.onRecipient)
        .then(() => callback(), callback);
    },
    async onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const raw = Buffer.concat(chunks).toString('latin1');
      const mail = await PostalMime.parse(Buffer.concat(chunks));
      self.received.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw, mail });
      callback();
    },
  };
  const self: MailServer = {
    url: '',
    received: [],
    onRecipient: () => undefined,
    async start() {
      server = new SMTPServer(options);
      server.on('error', () => undefined);
      const listening = server.listen(port, '127.0.0.1');
      await once(listening, 'listening');
      port = (listening.address() as AddressInfo).port;
      self.url = `smtp://127.0.0.1:${port}`;
    },
    async stop() {
      for (const connection of server?.connections ?? []) connection.close();
      await new Promise<void>((resolve) => server?.close(() => resolve()));
    },
  };
  await self.start();
  return self;
}

/** The refusal of a recipient that does not exist. */
export function noSuchMailbox(): Error {
  return Object.assign(new Error('no such mailbox'), { responseCode: 550 });
}
