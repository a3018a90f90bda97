import type { Readable } from 'node:stream';
import { type Fields, fieldsOf, type Lose, type WireItem } from '@switchboard/other-products';
import { linesOf } from '../reading/lines.ts';

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

/** A record is not an event of the source. The message begins with the field. */
export class Refused extends Error {}

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

const WITH_ZONE = /(?:[zZ]|[+-]\d\d:?\d\d)$/;
const TIME_OF_DAY = /\d\d:\d\d/;
/** Seconds since 1970 are below this number until the year 5138, and milliseconds above it since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Returns a time of an export, which is UTC without an offset. Throws Refused. */
export function requireTime(value: unknown, field: string): string {
  const at = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  const time =
    typeof at === 'number'
      ? new Date(at < FIRST_MILLISECONDS ? at * 1_000 : at)
      : typeof at === 'string'
        ? new Date(WITH_ZONE.test(at) || !TIME_OF_DAY.test(at) ? at : `${at.replace(' ', 'T')}Z`)
        : undefined;
  const year = time?.getUTCFullYear() ?? Number.NaN;
  if (time === undefined || !(year >= 1 && year <= 9999)) throw new Refused(`${field}: not a time`);
  return time.toISOString();
}
