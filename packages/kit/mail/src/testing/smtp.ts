import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import PostalMime, { type Email } from 'postal-mime';
import { generate } from 'selfsigned';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  /** The sender of the envelope, which gets bounces. */
  from: string;
  to: string[];
  /** Whether the mail came over TLS. */
  secure: boolean;
  raw: string;
  mail: Email;
}

export interface MailServer {
  url: string;
  received: ReceivedMail[];
  /** Called at RCPT TO. Throwing an error rejects the recipient. */
  onRecipient: (address: string) => Promise<void> | void;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

let certificate: Promise<{ key: string; cert: string }> | undefined;

/**
 * Returns a certificate for localhost that this process trusts from then on. There is only one, because of
 * several, the process would try only the first.
 */
export function trustedCertificate(): Promise<{ key: string; cert: string }> {
  certificate ??= makeCertificate();
  return certificate;
}

async function makeCertificate(): Promise<{ key: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  setDefaultCACertificates([...getCACertificates('default'), cert]);
  return { key, cert };
}

/** Starts a real SMTP server that keeps the mails it receives. With a certificate it offers STARTTLS. */
export async function mailServer(certificate?: { key: string; cert: string }): Promise<MailServer> {
  let server: SMTPServer | undefined;
  let port = 0;
  const options: SMTPServerOptions = {
    authOptional: true,
    ...(certificate ?? { disabledCommands: ['STARTTLS'] }),
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
      const to = session.envelope.rcptTo.map(({ address }) => address);
      const { mailFrom } = session.envelope;
      const from = mailFrom === false ? '' : mailFrom.address;
      self.received.push({ from, to, secure: session.secure, raw, mail });
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
      self.url = certificate ? `smtp://localhost:${port}` : `smtp://127.0.0.1:${port}?requireTLS=false`;
    },
    async stop() {
      for (const connection of server?.connections ?? []) connection.close();
      await new Promise<void>((resolve) => server?.close(() => resolve()));
    },
  };
  await self.start();
  return self;
}

/** Returns the rejection of a recipient that does not exist. */
export function noSuchMailbox(): Error {
  return Object.assign(new Error('no such mailbox'), { responseCode: 550 });
}
