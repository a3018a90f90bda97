import type { Readable } from 'node:stream';
import { type Fields, known } from '@switchboard/other-products';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { Refused, requireTime } from '../../imports/refused.ts';
import { readYaml } from '../../manifest/yaml.ts';
import { UsageError } from '../../terminal/terminal.ts';
import { eventItem } from './calls.ts';
import type { Source, SourceRecord } from './source.ts';

const column = z.string().min(1);

/** Which column is which field of an event. */
const mapping = z.strictObject({
  event: column,
  distinctId: column,
  time: column,
  id: column.optional(),
  sessionId: column.optional(),
  properties: z.union([z.array(column), z.record(z.string(), column)]).optional(),
});

const MAX_RECORD_CHARACTERS = 2_000_000;
const RECORDS_AT_ONCE = 500;

/** Reads CSV with names of columns in the first line. Throws ManifestError for an invalid mapping. */
export function csvSource(text: string, place: string): Source {
  const data = readYaml(text, place).parse(mapping);
  const { event, distinctId, time, id, sessionId, properties } = data;
  const used = [event, distinctId, time, id, sessionId];
  const named = Array.isArray(properties)
    ? Object.fromEntries(properties.map((one) => [one, one]))
    : properties;
  const wanted = [event, distinctId, time, id, sessionId, ...Object.values(named ?? {})].filter(
    (one) => one !== undefined,
  );

  async function* read(stream: Readable): AsyncGenerator<SourceRecord[]> {
    const parser = parse({
      bom: true,
      columns: (header: string[]) => {
        const missing = wanted.filter((one) => !header.includes(one));
        if (missing.length > 0) throw new UsageError(`the file has no column ${missing.join(', ')}`);
        return header;
      },
      info: true,
      relax_column_count: false,
      max_record_size: MAX_RECORD_CHARACTERS,
    });
    stream.on('error', (failed) => parser.destroy(failed));
    stream.pipe(parser);
    let records: SourceRecord[] = [];
    try {
      for await (const { record, info } of parser as AsyncIterable<{
        record: Fields;
        info: { lines: number };
      }>) {
        records.push({ line: info.lines, record });
        if (records.length < RECORDS_AT_ONCE) continue;
        yield records;
        records = [];
      }
    } catch (failed) {
      if (failed instanceof CsvError) throw new UsageError(failed.message);
      throw failed;
    }
    yield records;
  }

  return {
    settings: JSON.stringify(data),
    read,
    convert(record, { eventId }) {
      const textIn = (name: string | undefined) =>
        name === undefined ? undefined : String(record[name] ?? '') || undefined;
      const required = (name: string) => {
        const value = textIn(name);
        if (value === undefined) throw new Refused(`${name}: empty`);
        return value;
      };
      const own =
        named === undefined
          ? Object.entries(record).filter(([name]) => !used.includes(name))
          : Object.entries(named).map(([name, from]) => [name, record[from]] as const);
      return [
        eventItem({
          distinctId: required(distinctId),
          eventId: textIn(id) ?? eventId,
          name: required(event),
          timestamp: requireTime(required(time), time),
          sessionId: textIn(sessionId),
          properties: known(
            Object.fromEntries(own.map(([name, value]) => [name, cellValue(String(value ?? ''))])),
          ),
        }),
      ];
    },
  };
}

const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/;

/** Returns numbers and booleans as such. An empty cell has no value. */
function cellValue(cell: string): unknown {
  if (cell === '') return undefined;
  if (cell === 'true' || cell === 'false') return cell === 'true';
  return NUMBER.test(cell) ? Number(cell) : cell;
}
