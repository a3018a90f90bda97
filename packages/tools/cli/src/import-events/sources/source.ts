import type { Readable } from 'node:stream';
import { type Fields, fieldsOf, type Lose, type WireItem } from '@switchboard/other-products';
import { linesOf } from '../../imports/reading/lines.ts';

/** A record of a file, or why it cannot be read. */
export type SourceRecord = { line: number; record: Fields } | { line: number; fault: string };

export interface ConvertOptions {
  /** The id of an event without one: the same for the same line of the same file. */
  eventId: string;
  /** The name of the file, without folders. */
  name: string;
  lose: Lose;
}

/** A format of events of another product. */
export interface Source {
  /** Yields the records of a file, several at once. */
  read(stream: Readable): AsyncIterable<SourceRecord[]>;
  /** Returns a record as calls of our API. Throws Refused. */
  convert(record: Fields, options: ConvertOptions): WireItem[];
  /** The settings that change how records are converted. */
  settings?: string;
}

/** Reads lines of JSON objects. */
export async function* readJsonLines(stream: Readable): AsyncGenerator<SourceRecord[]> {
  for await (const lines of linesOf(stream)) {
    yield lines.map((one): SourceRecord => {
      if ('fault' in one) return one;
      try {
        const record: unknown = JSON.parse(one.text);
        const isObject = typeof record === 'object' && record !== null && !Array.isArray(record);
        return isObject
          ? { line: one.line, record: fieldsOf(record) }
          : { line: one.line, fault: 'not a JSON object' };
      } catch {
        return { line: one.line, fault: 'not JSON' };
      }
    });
  }
}
