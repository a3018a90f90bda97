import { type Db, newId, type Tx } from '@switchboard/database';
import { type Mailer, mailPage, Undeliverable } from '@switchboard/mail';
import { createPolling } from '@switchboard/resilience';
import type { Clock, Encryption, Logger } from '@switchboard/runtime';
import { z } from 'zod';
import { createMailsStore } from './store.ts';

/** An e-mail with a link. */
export interface LinkMail {
  to: string;
  /** A BCP 47 tag. */
  language: string;
  subject: string;
  /** One sentence. */
  text: string;
  button: string;
  link: string;
  /** The text before the full link. */
  address: string;
  /** Why the recipient gets it. */
  why: string;
}

export interface Mails {
  /** Adds an e-mail with the transaction. It is sent soon after, and retried for a day. */
  add(tx: Db | Tx, mail: LinkMail): Promise<void>;
  /** Returns the number of e-mails that are not sent, retries included. */
  waiting(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

interface MailsOptions {
  db: Db;
  mailer: Mailer;
  encryption: Encryption;
  clock: Clock;
  logger: Pick<Logger, 'failed' | 'warn'>;
}

const EVERY_MS = 500;
const MAX_ATTEMPTS = 12;
const FIRST_RETRY_MS = 15_000;
const content = z.object({
  to: z.string(),
  language: z.string(),
  subject: z.string(),
  text: z.string(),
  button: z.string(),
  link: z.string(),
  address: z.string(),
  why: z.string(),
});

/** Sends e-mails from a table, in which their content is encrypted: their links open accounts. */
export function createMails({ db, mailer, encryption, clock, logger }: MailsOptions): Mails {
  async function sendDue(): Promise<boolean> {
    // Most looks find nothing: one statement shows that, where the transaction takes three.
    if (!(await createMailsStore(db).isDue(clock.now()))) return false;
    await db.transaction(async (tx) => {
      const store = createMailsStore(tx);
      for (const { id, content: encrypted, attempts } of await store.takeDue(clock.now(), 1)) {
        try {
          const mail = content.parse(JSON.parse(await encryption.decrypt(encrypted, id)));
          await mailer.send({ id, ...composed(mail) });
          await store.remove(id);
        } catch (error) {
          const isLast = error instanceof Undeliverable || attempts + 1 >= MAX_ATTEMPTS;
          if (isLast) await store.remove(id);
          else await store.retryAt(id, new Date(clock.now().getTime() + FIRST_RETRY_MS * 2 ** attempts));
          logger.failed('send e-mail', error, { mail: id, isLast });
        }
      }
    });
    return true;
  }

  const polling = createPolling(sendDue, {
    everyMs: EVERY_MS,
    onFailure: (error) => logger.failed('send e-mails', error),
  });

  return {
    async add(tx, mail) {
      const id = newId('eml');
      const encrypted = await encryption.encrypt(JSON.stringify(mail), id);
      await createMailsStore(tx).insert({ id, content: encrypted, dueAt: clock.now() });
    },
    waiting: () => createMailsStore(db).count(),
    start: polling.start,
    stop: polling.stop,
  };
}

function composed({ to, language, subject, text, button, link, address, why }: LinkMail) {
  return {
    to,
    replyTo: undefined,
    sender: 'Switchboard',
    language,
    subject,
    text: `${text}\n\n${button}: ${link}\n\n${why}\n`,
    html: mailPage({
      language,
      title: subject,
      from: { home: new URL(link).origin },
      heading: subject,
      paragraphs: [text],
      button: { text: button, link, address },
      why,
    }),
  };
}
