import { DISRUPTIVE_CHARACTERS } from '@switchboard/contracts';
import PostalMime, { type Email } from 'postal-mime';
import { textOfHtml } from './html.ts';

export interface IncomingMail {
  /** Null if the header has none, or not one that may be repeated in a header of ours. */
  messageId: string | null;
  from: { address: string; name: string | null } | null;
  subject: string | null;
  /** The language that the mail states. */
  language: string | null;
  text: string;
  files: { name: string; bytes: Buffer }[];
  automatic: Automatic | undefined;
  /** The report of a mail server about a mail of ours. */
  report: DeliveryReport | undefined;
}

/** Why no person wrote a mail. Mailing lists also forward mail of people. */
export type Automatic = 'automatic' | 'list';

export interface DeliveryReport {
  isFailure: boolean;
  /** The status of RFC 3463, such as 5.1.1. */
  status: string | null;
}

/** The message has too many parts or headers, or parts too deep in each other. */
export class MailTooComplex extends Error {}

/** The largest number of lines that may divide a message into parts. */
const MAX_DIVIDERS = 1_000;
const MAX_DEPTH = 10;
const MAX_HEADER_BYTES = 100_000;
const MAX_TEXT = 100_000;
const MAX_HTML = 1_000_000;
const MAX_ADDRESS = 190;
const MAX_NAME = 100;
const MAX_SUBJECT = 200;
const MAX_FILES = 50;

const MESSAGE_ID = /^<[!#-;=?-~]{1,200}@[!#-;=?-~]{1,200}>$/;
const ADDRESS = /^[^\s@<>",;:\\()[\]]{1,64}@[a-z0-9\p{L}\p{N}-]+(\.[a-z0-9\p{L}\p{N}-]+)+$/iu;
/** Control characters except tab and line break, and characters that change how the surrounding text is shown. */
const UNSHOWN = new RegExp(`(?![\\n\\t])${DISRUPTIVE_CHARACTERS.source}`, 'gu');

/** Parses a message. Throws MailTooComplex before it parses one that was made to take long. */
export async function parseMail(raw: Buffer): Promise<IncomingMail> {
  if (countDividers(raw) > MAX_DIVIDERS) throw new MailTooComplex('too many parts');
  const email = await PostalMime.parse(raw, {
    maxNestingDepth: MAX_DEPTH,
    maxHeadersSize: MAX_HEADER_BYTES,
    maxRfc822NestingDepth: 0,
  }).catch((error: unknown) => {
    throw new MailTooComplex(error instanceof Error ? error.message : 'cannot be parsed');
  });
  const headers = Map.groupBy(email.headers, ({ key }) => key);
  const header = (name: string) => headers.get(name)?.[0]?.value;
  return {
    messageId: messageIdIn(email.messageId),
    from: senderOf(email),
    subject: line(email.subject, MAX_SUBJECT),
    language: line(header('content-language') ?? header('accept-language'), MAX_NAME),
    text: textOf(email),
    files: filesOf(email),
    automatic: automaticIn(header),
    report: reportIn(email, header('content-type')),
  };
}

/** Counts the lines that begin with two hyphens, as every divider does. */
function countDividers(raw: Buffer): number {
  let count = 0;
  for (let at = raw.indexOf('\n--'); at !== -1 && count <= MAX_DIVIDERS; at = raw.indexOf('\n--', at + 1))
    count += 1;
  return count;
}

function senderOf({ from }: Email): IncomingMail['from'] {
  const address = from?.address?.trim() ?? '';
  if (address.length > MAX_ADDRESS || !ADDRESS.test(address)) return null;
  return { address: address.toLowerCase(), name: line(from?.name, MAX_NAME) };
}

const messageIdIn = (given: string | undefined): string | null =>
  given !== undefined && MESSAGE_ID.test(given.trim()) ? given.trim() : null;

/** Returns a text of one line that can be stored and shown. */
function line(given: string | undefined, max: number): string | null {
  const text = clean(given ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === '' ? null : [...text].slice(0, max).join('');
}

const clean = (text: string) => text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(UNSHOWN, '');

function textOf({ text, html }: Email): string {
  const plain = clean((text ?? '').slice(0, MAX_TEXT)).trim();
  return plain !== '' || html === undefined
    ? plain
    : clean(textOfHtml(html.slice(0, MAX_HTML), MAX_TEXT)).trim();
}

function filesOf({ attachments }: Email): IncomingMail['files'] {
  return attachments.slice(0, MAX_FILES).flatMap(({ filename, mimeType, content }) => {
    if (typeof content === 'string' || mimeType.startsWith('message/')) return [];
    const bytes =
      content instanceof ArrayBuffer
        ? Buffer.from(content)
        : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    return bytes.length === 0 ? [] : [{ name: line(filename ?? undefined, MAX_NAME) ?? 'file', bytes }];
  });
}

/** RFC 3834, and the headers that mail programs used before it. */
function automaticIn(header: (name: string) => string | undefined): Automatic | undefined {
  const submitted = header('auto-submitted')?.trim().toLowerCase();
  if (submitted !== undefined && submitted !== 'no') return 'automatic';
  const precedence = header('precedence')?.trim().toLowerCase() ?? '';
  if (['bulk', 'junk', 'auto_reply'].includes(precedence)) return 'automatic';
  const suppressed = header('x-auto-response-suppress')?.toLowerCase() ?? '';
  if (/\b(all|oof|autoreply)\b/.test(suppressed)) return 'automatic';
  if (header('x-autoreply') !== undefined || header('x-autorespond') !== undefined) return 'automatic';
  return precedence === 'list' ? 'list' : undefined;
}

/** Reads a delivery status notification (RFC 3464). */
function reportIn({ attachments }: Email, contentType = ''): DeliveryReport | undefined {
  if (!/^multipart\/report\b/i.test(contentType.trim())) return undefined;
  const part = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
  if (part === undefined || typeof part.content === 'string') return undefined;
  const fields = Buffer.from(new Uint8Array(part.content)).toString('latin1').slice(0, MAX_TEXT);
  const [, action = ''] = /^Action:[ \t]*(\w+)/im.exec(fields) ?? [];
  const [, status = null] = /^Status:[ \t]*([245]\.\d{1,3}\.\d{1,3})\b/im.exec(fields) ?? [];
  return { isFailure: action.toLowerCase() === 'failed', status };
}
