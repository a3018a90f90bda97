import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Measure } from '@switchboard/resilience';
import { type Metrics, measureCalls } from '@switchboard/runtime';
import { createTransport } from 'nodemailer';
import type { MailConfig } from './settings.ts';
import { DeliveryFailed, Undeliverable } from './undeliverable.ts';

interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
  /** The id of a picture that the HTML shows, as `cid:`. */
  cid?: string;
}

export interface Mail {
  /** The id of this delivery. Repeated attempts have the same Message-ID. */
  id: string;
  to: string;
  replyTo: string | undefined;
  sender: string;
  language: string;
  subject: string;
  text: string;
  html: string;
  /** Receives the reports of mail servers about this mail. Default: the sender's address. */
  bounceTo?: string;
  /** The Message-IDs of the thread, oldest first. The mail answers the last one. */
  thread?: readonly string[];
  /** The address that ends mails of this kind with a POST (RFC 8058). */
  unsubscribe?: string;
  attachments?: readonly Attachment[];
}

export interface Mailer {
  /** Throws Undeliverable when this recipient is rejected permanently, and DeliveryFailed for other failures. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Returns the Message-ID of the mail that is sent with this id. */
export const messageIdOf = (id: string, from: string) => `<${id}@${from.slice(from.indexOf('@') + 1)}>`;

function threadHeaders(thread: readonly string[]): Record<string, string> {
  const last = thread.at(-1);
  return last === undefined ? {} : { 'In-Reply-To': last, References: thread.join(' ') };
}

const asMessage = (from: string, mail: Mail) => ({
  from: { name: mail.sender, address: from },
  to: mail.to,
  ...(mail.replyTo === undefined ? {} : { replyTo: mail.replyTo }),
  ...(mail.bounceTo !== undefined && { envelope: { from: mail.bounceTo, to: mail.to } }),
  ...(mail.attachments !== undefined && { attachments: [...mail.attachments] }),
  messageId: messageIdOf(mail.id, from),
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  headers: {
    'Auto-Submitted': 'auto-generated',
    'Content-Language': mail.language,
    ...threadHeaders(mail.thread ?? []),
    ...(mail.unsubscribe !== undefined && {
      'List-Unsubscribe': `<${mail.unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  },
  // Otherwise nodemailer would read files and URLs named in user text.
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** Opens the mailer of the settings: a mail server, or a folder. */
export function openMailer({ SMTP_URL, MAIL_DIR, MAIL_FROM }: MailConfig, metrics: Metrics): Mailer {
  const measure = measureCalls({ metrics, dependency: 'mail server' });
  if (SMTP_URL !== undefined) return smtpMailer(SMTP_URL, MAIL_FROM, measure);
  if (MAIL_DIR === undefined) throw new Error('neither SMTP_URL nor MAIL_DIR is set');
  return folderMailer(MAIL_DIR, MAIL_FROM);
}

/**
 * Sends through an SMTP server, `smtp://` or `smtps://` with user and password in the URL. Over `smtp://`,
 * nothing is sent before STARTTLS succeeds, unless the URL ends in `?requireTLS=false`. A rejected message does
 * not count as a failure of the server.
 */
export function smtpMailer(url: string, from: string, measure?: Measure): Mailer {
  // A pool would retry while the server is down, without the queue knowing.
  const transport = createTransport({
    requireTLS: true,
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  });
  return {
    async send(mail) {
      const end = measure?.('send');
      try {
        await transport.sendMail(asMessage(from, mail));
        end?.();
      } catch (error) {
        const { code, status, enhanced } = replyIn(error);
        const reply = [code, status, enhanced].filter((part) => part !== undefined).join(' ');
        const isOfMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
        // A 5xx response to another command rejects the session, not this recipient or message.
        if (isOfMessage && status !== undefined && status >= 500) {
          end?.();
          throw new Undeliverable(`the mail server rejected the message: ${reply}`);
        }
        end?.(error);
        throw new DeliveryFailed(`the mail server failed: ${reply}`);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * Returns nodemailer's code, the status and the enhanced status (RFC 3463) of an error, without the text of the
 * reply.
 */
function replyIn(error: unknown): { code?: string; status?: number; enhanced?: string } {
  if (!(error instanceof Error)) return {};
  const [, enhanced] =
    /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(Reflect.get(error, 'response'))) ?? [];
  return {
    code: 'code' in error && typeof error.code === 'string' ? error.code : error.name,
    ...('responseCode' in error && typeof error.responseCode === 'number' && { status: error.responseCode }),
    ...(enhanced !== undefined && { enhanced }),
  };
}

/** Writes each mail to an `.eml` file named after the delivery. Only the current user can read the file. */
function folderMailer(folder: string, from: string): Mailer {
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
