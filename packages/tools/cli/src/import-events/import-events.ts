import { hash } from 'node:crypto';
import { EVENT_MAX_BYTES, eventBatch, type ImportSource, problemsOf } from '@switchboard/contracts';
import type { Client } from '@switchboard/management';
import type { Fields, WireItem } from '@switchboard/other-products';
import { type Counted, createCounts } from '../imports/counts.ts';
import type { People } from '../imports/people.ts';
import { readFault } from '../imports/read-fault.ts';
import type { Input } from '../imports/reading/inputs.ts';
import { Refused } from '../imports/refused.ts';
import { UsageError } from '../terminal/terminal.ts';
import { openParts } from './parts.ts';
import type { Source, SourceRecord } from './sources/source.ts';

export interface ImportOptions {
  client: Client;
  projectId: string;
  sourceName: ImportSource;
  source: Source;
  /** Reads and converts without sending. */
  dryRun: boolean;
  people(onRefused: (reason: string, place: string) => void): People;
  onProgress?(progress: { place: string; lines: number; events: number }): void;
}

export interface ImportedEvents {
  files: number;
  /** Events that this run imported, or would import. */
  imported: number;
  /** Events of earlier runs. */
  known: number;
  /** Calls with traits, joins and groups. */
  people: number;
  /** Records that are not imported, and why. */
  refused: Counted[];
  /** Parts of records that are not kept. */
  leftOut: Counted[];
}

/** A file has another format if its first records are all refused, up to this number. */
const SURELY_WRONG = 100;
const VALIDATED_AT_ONCE = 200;
const SOME_TIME = '2000-01-01T00:00:00Z';

/** Imports the events of files. Importing again resumes. Throws UsageError and ManagementError. */
export async function importEvents(
  inputs: AsyncIterable<Input>,
  options: ImportOptions,
): Promise<ImportedEvents> {
  const { client, projectId, sourceName, source, dryRun, onProgress } = options;
  const [refused, leftOut] = [createCounts(), createCounts()];
  const people = options.people(refused.add);
  let [files, imported, known, lines] = [0, 0, 0, 0];

  async function importFile(input: Input): Promise<void> {
    const importId = hash('sha256', [sourceName, source.settings ?? '', input.content].join('\0')).slice(
      0,
      32,
    );
    const parts = await openParts({
      ...{ client, projectId, importId, source: sourceName, name: input.name, dryRun },
      onImported({ events, isNew }) {
        if (isNew) imported += events;
        else known += events;
      },
    });
    let [taken, wrong] = [0, 0];
    const refuse = (line: number, reason: string) => {
      refused.add(reason, `${input.place}:${line}`);
      wrong += 1;
      if (taken === 0 && wrong === SURELY_WRONG)
        throw new UsageError(
          `${input.place}: not events of ${sourceName}: the first ${wrong} records are refused: ${reason}`,
        );
    };

    function convert(record: SourceRecord): WireItem[] {
      const { line } = record;
      if ('fault' in record) {
        refuse(line, record.fault);
        return [];
      }
      try {
        const eventId = hash('sha256', `${importId}:${line}`).slice(0, 32);
        const lose = (what: string) => leftOut.add(what, `${input.place}:${line}`);
        return source.convert(record.record, { eventId, name: input.name, lose });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refuse(line, error.message);
        return [];
      }
    }

    const stream = await input.open();
    try {
      for await (const records of source.read(stream)) {
        for (let start = 0; start < records.length; start += VALIDATED_AT_ONCE) {
          const events: { line: number; call: Fields }[] = [];
          for (const record of records.slice(start, start + VALIDATED_AT_ONCE)) {
            for (const item of convert(record)) {
              if (item.kind === 'event') events.push({ line: record.line, call: item.call });
              else {
                taken += 1;
                const waiting = people.add(item, `${input.place}:${record.line}`);
                if (waiting !== undefined) await waiting;
              }
            }
          }
          for (const json of valid(events, refuse)) {
            taken += 1;
            const waiting = parts.add(json);
            if (waiting !== undefined) await waiting;
          }
          lines += Math.min(VALIDATED_AT_ONCE, records.length - start);
          onProgress?.({ place: input.place, lines, events: imported + known });
        }
      }
    } catch (error) {
      throw readFault(error, input.place);
    } finally {
      stream.destroy();
    }
    await parts.finish();
  }

  for await (const input of inputs) {
    await importFile(input);
    files += 1;
  }
  await people.finish();
  return { files, imported, known, people: people.count(), refused: refused.list(), leftOut: leftOut.list() };
}

/** Returns the valid events as JSON. */
function valid(
  events: readonly { line: number; call: Fields }[],
  refuse: (line: number, reason: string) => void,
): string[] {
  if (events.length === 0) return [];
  const areValid = eventBatch.safeParse({
    events: events.map(({ call }) => call),
    sent_at: SOME_TIME,
  }).success;
  return events.flatMap(({ line, call }) => {
    const fault = areValid ? undefined : faultOf(call);
    if (fault !== undefined) {
      refuse(line, fault);
      return [];
    }
    const json = JSON.stringify(call);
    if (json.length <= EVENT_MAX_BYTES / 3 || Buffer.byteLength(json) <= EVENT_MAX_BYTES) return json;
    refuse(line, `event: larger than ${EVENT_MAX_BYTES} bytes`);
    return [];
  });
}

function faultOf(call: Fields): string | undefined {
  const value = { events: [call], sent_at: SOME_TIME };
  const { error } = eventBatch.safeParse(value);
  if (error === undefined) return undefined;
  const [problem] = problemsOf({ schema: eventBatch, value, error }, { where: 'event', most: 1 });
  return (problem?.message ?? 'not valid').replace(/^events\[0\]\.?/, '');
}
