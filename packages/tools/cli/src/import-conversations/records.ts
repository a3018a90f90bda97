import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { type Fields, fieldsOf } from '@switchboard/other-products';
import { UsageError } from '../terminal/terminal.ts';

type FoundRecord = { place: string; record: Fields } | { place: string; fault: string };

interface Records {
  records: FoundRecord[];
  bytes: number;
}

/** The properties of answers that contain lists. */
const LISTS = ['payload', 'data', 'conversations', 'contacts'];

/**
 * Returns the objects in a file: answers of an API, lists of them, or one on each line. Throws UsageError if it has
 * none.
 */
export async function recordsIn(stream: Readable, place: string, maxBytes: number): Promise<Records> {
  const { text, bytes } = await textIn(stream, place, maxBytes);
  return { records: recordsOf(text, place), bytes };
}

function recordsOf(text: string, place: string): FoundRecord[] {
  if (text.trim() === '') return [];
  const whole = parsed(text);
  if (whole !== undefined)
    return unwrapped(whole.value).map((record, index) => ({ place: `${place}:${index + 1}`, record }));
  const found = text.split('\n').flatMap((line, index): FoundRecord[] => {
    if (line.trim() === '') return [];
    const at = `${place}:${index + 1}`;
    const value = parsed(line);
    return value === undefined
      ? [{ place: at, fault: 'not JSON' }]
      : unwrapped(value.value).map((record) => ({ place: at, record }));
  });
  if (found.every((one) => 'fault' in one)) throw new UsageError(`${place}: neither JSON nor JSON lines`);
  return found;
}

async function textIn(stream: Readable, place: string, maxBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxBytes)
      throw new UsageError(
        `${place}: the files are too large to be read at once; import them in several runs, each with whole conversations`,
      );
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new UsageError(`${place}: not UTF-8`);
  return { text: new TextDecoder().decode(bytes), bytes: size };
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Returns the records in an answer, in the lists of answers, and in lists of answers. */
function unwrapped(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(unwrapped);
  const fields = fieldsOf(value);
  // A conversation has an id, and lists of its own.
  const list = 'id' in fields ? undefined : LISTS.find((name) => typeof fields[name] === 'object');
  return list === undefined ? [fields] : unwrapped(fields[list]);
}
