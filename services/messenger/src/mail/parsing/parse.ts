import { DISRUPTIVE_CHARACTERS } from '@switchboard/contracts';
import type { ReadMail } from './read.ts';

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

const MAX_ADDRESS = 190;
const MAX_NAME = 100;
const MAX_SUBJECT = 200;
const MAX_REPORT_BYTES = 100_000;

const MESSAGE_ID = /^<[!#-;=?-~]{1,200}@[!#-;=?-~]{1,200}>$/;
const ADDRESS = /^[^\s@<>",;:\\()[\]]{1,64}@[a-z0-9\p{L}\p{N}-]+(\.[a-z0-9\p{L}\p{N}-]+)+$/iu;
/** Control characters except tab and line break, and characters that change how the surrounding text is shown. */
const UNSHOWN = new RegExp(`(?![\\n\\t])${DISRUPTIVE_CHARACTERS.source}`, 'gu');

/** Returns what a message says, in texts that can be stored and shown. */
export function parseMail(email: ReadMail): IncomingMail {
  const headers = Map.groupBy(email.headers, ({ key }) => key);
  const header = (name: string) => headers.get(name)?.[0]?.value;
  return {
    messageId: messageIdIn(email.messageId),
    from: senderOf(email),
    subject: line(email.subject, MAX_SUBJECT),
    language: line(header('content-language') ?? header('accept-language'), MAX_NAME),
    text: clean(email.text).trim(),
    files: filesOf(email),
    automatic: automaticIn(header),
    report: reportIn(email, header('content-type')),
  };
}

function senderOf({ from }: ReadMail): IncomingMail['from'] {
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

function filesOf({ attachments }: ReadMail): IncomingMail['files'] {
  return attachments.flatMap(({ filename, mimeType, bytes }) =>
    bytes.length === 0 || mimeType.startsWith('message/')
      ? []
      : [
          {
            name: line(filename ?? undefined, MAX_NAME) ?? 'file',
            bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
          },
        ],
  );
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
function reportIn({ attachments }: ReadMail, contentType = ''): DeliveryReport | undefined {
  if (!/^multipart\/report\b/i.test(contentType.trim())) return undefined;
  const part = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
  if (part === undefined) return undefined;
  const fields = Buffer.from(part.bytes.subarray(0, MAX_REPORT_BYTES)).toString('latin1');
  const [, action = ''] = /^Action:[ \t]*(\w+)/im.exec(fields) ?? [];
  const [, status = null] = /^Status:[ \t]*([245]\.\d{1,3}\.\d{1,3})\b/im.exec(fields) ?? [];
  return { isFailure: action.toLowerCase() === 'failed', status };
}
