import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';

/** A line of a file, or why it cannot be read. Lines are counted from 1. */
export type Line = { line: number; text: string } | { line: number; fault: string };

const NEWLINE = 0x0a;
/** A longer line is no event: one has at most 900,000 bytes. */
const MAX_LINE_BYTES = 2_000_000;
const BYTE_ORDER_MARK = '\ufeff';

/** Yields the lines of a stream, several at once. Lines of white space are left out. Memory is bounded. */
export async function* linesOf(stream: Readable): AsyncGenerator<Line[]> {
  let rest: Buffer = Buffer.alloc(0);
  let [line, isSkipping] = [1, false];
  for await (const chunk of stream) {
    const bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    const lines: Line[] = [];
    let start = 0;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (isSkipping && end > 0) {
      lines.push(tooLong(line++));
      start = bytes.indexOf(NEWLINE) + 1;
      isSkipping = false;
    }
    for (const one of split(bytes.subarray(start, end))) lines.push(...known(line++, one));
    rest = isSkipping ? rest.subarray(0, 0) : bytes.subarray(end);
    if (rest.length > MAX_LINE_BYTES) [rest, isSkipping] = [Buffer.alloc(0), true];
    if (lines.length > 0) yield lines;
  }
  if (isSkipping) yield [tooLong(line)];
  else if (rest.length > 0) yield known(line, decoded(rest));
}

const tooLong = (line: number): Line => ({ line, fault: `longer than ${MAX_LINE_BYTES} bytes` });

/** Returns the lines of bytes that end with one. Undefined: not UTF-8. */
function split(bytes: Buffer): (string | undefined)[] {
  if (bytes.length === 0) return [];
  if (isUtf8(bytes)) return bytes.toString('utf8', 0, bytes.length - 1).split('\n');
  const lines: (string | undefined)[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    lines.push(decoded(bytes.subarray(start, end)));
    start = end + 1;
  }
  return lines;
}

const decoded = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString() : undefined);

function known(line: number, text: string | undefined): Line[] {
  if (text === undefined) return [{ line, fault: 'not UTF-8' }];
  const content = line === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (content.length > MAX_LINE_BYTES) return [tooLong(line)];
  return content.trim() === '' ? [] : [{ line, text: content }];
}
