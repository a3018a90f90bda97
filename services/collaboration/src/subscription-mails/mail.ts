import { MAX_UNOPENED_MAILS } from '@switchboard/contracts';
import { mailPage } from '@switchboard/mail';
import type { Markup } from '../page/render/markup.ts';

/** The parts of a mail of a subscription that do not depend on its target. */
export interface MailFrame {
  /** Whether the subscription is paused because no one opens the mails. */
  isLast: boolean;
  links: { open: string; unsubscribe: string };
  /** The address of the console. */
  home: string;
}

interface Parts {
  subject: string;
  heading: string;
  intro: string;
  /** The content as text and as HTML. */
  texts: readonly string[];
  content: Markup;
  /** The text of the button. */
  opening: string;
  why: string;
}

const PAUSED = `No one has opened the last ${MAX_UNOPENED_MAILS} mails, so this subscription is now paused. Resume it under Subscriptions in the console.`;

/** Frames the content of a mail as text and HTML, with the links that open it and end the mails. */
export function frameMail(
  { isLast, links, home }: MailFrame,
  { subject, heading, intro, texts, content, opening, why }: Parts,
) {
  const paragraphs = isLast ? [PAUSED, intro] : [intro];
  return {
    language: 'en',
    subject,
    text: [
      ...paragraphs,
      ...texts,
      `${opening}:\n${links.open}`,
      '-- ',
      `${why}\nUnsubscribe: ${links.unsubscribe}\n`,
    ].join('\n\n'),
    html: mailPage({
      language: 'en',
      title: subject,
      from: { home },
      heading,
      paragraphs,
      content,
      button: { text: opening, link: links.open, address: 'Or open this address in your browser:' },
      why,
      footer: { text: 'Unsubscribe', link: links.unsubscribe },
    }),
  };
}
