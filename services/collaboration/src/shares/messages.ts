import { fileURLToPath } from 'node:url';
import { html } from 'hono/html';
import Mailgen from 'mailgen';
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

// Given by path because mailgen looks next to its own code, which a bundle moves.
const THEME = fileURLToPath(new URL('themes/default/index.html', import.meta.resolve('mailgen')));

const escaped = (text: string) => html`${text}`.toString();

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
    html: renderHtml(language, say.subject(sender, report), home, {
      greeting: false,
      signature: false,
      title: escaped(report),
      intro: [escaped(intro), ...noteLines.map((part) => escaped(part).replaceAll(/\r\n|\r|\n/g, '<br>'))],
      action: {
        instructions: '',
        button: { color: '#2f5bd3', text: escaped(say.open), link: escaped(link) },
      },
      outro: [`${escaped(say.address)}<br><a href="${escaped(link)}">${escaped(link)}</a>`, escaped(say.why)],
    }),
  };
}

function renderHtml(language: Language, title: string, home: string, body: Mailgen.ContentBody): string {
  const name = 'Switchboard';
  const mailgen = new Mailgen({
    theme: { path: THEME },
    product: { name, link: escaped(home), copyright: name },
  });
  const page: string = mailgen.generate({ body });
  // As functions, because a report's name may contain $& and other patterns of a replacement string.
  return page
    .replace(/<html\b/, () => `<html lang="${language}"`)
    .replace(/<head>/, () => `<head><title>${escaped(title)}</title>`);
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
