import { textOfHtml } from '@switchboard/other-products/html';
import PostalMime from 'postal-mime';

/** A message as its sender wrote it, cut to a bounded size. */
export interface ReadMail {
  headers: { key: string; value: string }[];
  messageId: string | undefined;
  from: { address: string | undefined; name: string } | undefined;
  subject: string | undefined;
  text: string;
  attachments: { filename: string | null; mimeType: string; bytes: Uint8Array<ArrayBuffer> }[];
}

/** The message has too many lines, parts or headers, or parts too deep in each other. */
export class MailTooComplex extends Error {}

/** The largest number of lines that may divide a message into parts. */
const MAX_DIVIDERS = 1_000;
/** The largest message with a file has a third of this. */
const MAX_LINES = 200_000;
const MAX_DEPTH = 10;
const MAX_HEADER_BYTES = 100_000;
const MAX_TEXT = 100_000;
const MAX_HTML = 1_000_000;
const MAX_FILES = 50;

/** Reads a message. Throws MailTooComplex before it parses one that was made to take long. */
export async function readMail(raw: Uint8Array): Promise<ReadMail> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (count(bytes, '\n--', MAX_DIVIDERS) > MAX_DIVIDERS) throw new MailTooComplex('too many parts');
  if (count(bytes, '\n', MAX_LINES) > MAX_LINES) throw new MailTooComplex('too many lines');
  const email = await PostalMime.parse(bytes, {
    maxNestingDepth: MAX_DEPTH,
    maxHeadersSize: MAX_HEADER_BYTES,
    maxRfc822NestingDepth: 0,
  }).catch((error: unknown) => {
    throw new MailTooComplex(error instanceof Error ? error.message : 'cannot be parsed');
  });
  const { headers, messageId, from, subject, html, attachments } = email;
  const text = (email.text ?? '').slice(0, MAX_TEXT);
  return {
    headers: headers.map(({ key, value }) => ({ key, value })),
    messageId,
    from: from && { address: from.address, name: from.name },
    subject,
    text: text.trim() !== '' || html === undefined ? text : textOfHtml(html.slice(0, MAX_HTML), MAX_TEXT),
    attachments: attachments.slice(0, MAX_FILES).map(({ filename, mimeType, content }) => ({
      filename,
      mimeType,
      bytes: typeof content === 'string' ? new Uint8Array() : new Uint8Array(content),
    })),
  };
}

/** Counts a text in a message, up to one more than `most`. Every divider is a line that begins with two hyphens. */
function count(raw: Buffer, text: string, most: number): number {
  let found = 0;
  for (let at = raw.indexOf(text); at !== -1 && found <= most; at = raw.indexOf(text, at + 1)) found += 1;
  return found;
}
