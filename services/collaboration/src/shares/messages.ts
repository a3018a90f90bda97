import { mailPage } from '@switchboard/mail';
import type { PushContent } from '@switchboard/push';
import { type Language, languageFor, texts } from './texts.ts';

/** The content of a message about a shared report, or about a comment that mentions the recipient. */
export interface MessageDetails {
  isMention: boolean;
  senderName: string;
  reportName: string;
  /** The text of the sender: a note or the comment. */
  note: string | null;
  link: string;
  /** A BCP 47 tag. */
  language: string;
}

export interface MailContent {
  language: Language;
  subject: string;
  text: string;
  html: string;
}

/**
 * The maximum length of a text in a push. An encrypted push message is limited to 4,096 bytes, and the address
 * alone may take half of them.
 */
const MAX_PUSH_CHARACTERS = 160;

/** Composes the e-mail as text and HTML. `home` is the address of the console. */
export function composeMail(details: MessageDetails, home: string): MailContent {
  const { senderName: sender, reportName: report, note, link } = details;
  const language = languageFor(details.language);
  const say = texts[language];
  const about = details.isMention ? say.mention : say.share;
  const intro = about.intro(sender, report);
  const noteLines = note ? [say.noteOf(sender), note] : [];
  return {
    language,
    subject: about.subject(sender, report),
    text: [intro, ...noteLines, `${say.open}:\n${link}`, '-- ', about.why].join('\n\n').concat('\n'),
    html: mailPage({
      language,
      title: about.subject(sender, report),
      from: { home },
      heading: report,
      paragraphs: [intro, ...noteLines],
      button: { text: say.open, link, address: say.address },
      why: about.why,
    }),
  };
}

/** Composes the push message, cut to fit. */
export function composePush(details: MessageDetails): PushContent {
  const { isMention, senderName: sender, reportName: report, note, link } = details;
  const say = texts[languageFor(details.language)];
  const about = isMention ? say.mention : say.share;
  return {
    type: isMention ? 'comment_mention' : 'report_shared',
    title: clipPush(about.subject(sender, report)),
    body: clipPush(note ? note : about.intro(sender, report)),
    url: link,
  };
}

/** Cuts a text to the length that fits a push. */
export function clipPush(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_PUSH_CHARACTERS) return text;
  return `${characters.slice(0, MAX_PUSH_CHARACTERS - 1).join('')}…`;
}
