import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { Undeliverable } from './undeliverable.ts';

export interface Mail {
  /** Identifies this delivery: a repetition carries the same Message-ID. */
  id: string;
  to: string;
  replyTo: string | undefined;
  sender: string;
  language: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /** Throws Undeliverable when this recipient is refused permanently; other errors may be temporary. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

const asMessage = (from: string, mail: Mail) => ({
  from: { name: mail.sender, address: from },
  to: mail.to,
  ...(mail.replyTo === undefined ? {} : { replyTo: mail.replyTo }),
  messageId: `<${mail.id}@${from.slice(from.indexOf('@') + 1)}>`,
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.language },
  // nodemailer would otherwise read files and addresses that user text names.
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** Sends through an SMTP server, `smtp://` or `smtps://` with user and password in the address. */
export function smtpMailer(url: string, from: string): Mailer {
  // A pool would retry by itself while the server is down, unseen by the queue.
  const transport = createTransport({
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  });
  return {
    async send(mail) {
      try {
        await transport.sendMail(asMessage(from, mail));
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === undefined) throw error;
        throw new Undeliverable(`the mail server refused it: ${refusal}`);
      }
    },
    close: () => transport.close(),
  };
}

/** The response of a server that refused this recipient or message permanently (5xx), rather than the session. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error)) return undefined;
  const isOfMessage = error.code === 'EENVELOPE' || error.code === 'EMESSAGE';
  const isFinal = typeof error.responseCode === 'number' && error.responseCode >= 500;
  return isOfMessage && isFinal ? error.message.slice(0, 300) : undefined;
}

/** Writes each mail as an `.eml` file that only this user can read, named by its delivery. */
export function folderMailer(folder: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(asMessage(from, mail));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${mail.id}.eml`);
      const file = await open(`${path}.part`, 'w', 0o600);
      await file.writeFile(message);
      await file.sync();
      await file.close();
      await rename(`${path}.part`, path);
    },
    close: () => transport.close(),
  };
}
