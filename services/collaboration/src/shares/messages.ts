import { mailPage } from './mail-page.ts';
import { type Language, languageFor, texts } from './texts.ts';

/** What the messages about a share need of it. */
export interface SharedReportDetails {
  senderName: string;
  reportName: string;
  note: string | null;
  link: string;
  /** BCP 47. */
  language: string;
}

export interface MailContent {
  language: Language;
  subject: string;
  text: string;
  html: string;
}

export interface PushContent {
  title: string;
  body: string;
  url: string;
}

/** An encrypted push message has at most 4,096 bytes, and the address alone may take half of them. */
const MAX_PUSH_CHARACTERS = 160;

/** The e-mail about a share, as text and as HTML. `home` is the console's address. */
export function composeMail(share: SharedReportDetails, home: string): MailContent {
  const { senderName: sender, reportName: report, note, link } = share;
  const language = languageFor(share.language);
  const say = texts[language];
  const intro = say.intro(sender, report);
  const noteLines = note ? [say.noteOf(sender), note] : [];
  return {
    language,
    subject: say.subject(sender, report),
    text: [intro, ...noteLines, `${say.open}:\n${link}`, '-- ', say.why].join('\n\n').concat('\n'),
    html: mailPage({
      language,
      title: say.subject(sender, report),
      home,
      heading: report,
      paragraphs: [intro, ...noteLines],
      button: { text: say.open, link },
      address: say.address,
      why: say.why,
    }),
  };
}

/** The push message about a share, cut to fit. */
export function composePush(share: SharedReportDetails): PushContent {
  const { senderName: sender, reportName: report, note, link } = share;
  const say = texts[languageFor(share.language)];
  const body = note ? note : say.intro(sender, report);
  return { title: clip(say.subject(sender, report)), body: clip(body), url: link };
}

function clip(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_PUSH_CHARACTERS) return text;
  return `${characters.slice(0, MAX_PUSH_CHARACTERS - 1).join('')}…`;
}
