import { type ImportSource, importSource } from '@switchboard/contracts';
import { createPeople, firstKeyOf } from '../imports/people.ts';
import { progressLine } from '../imports/progress.ts';
import { inputsOf } from '../imports/reading/inputs.ts';
import { reportAsJson } from '../imports/reasons.ts';
import { addressFor, openClient, retryForMs } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { importEvents } from './import-events.ts';
import { describeReport } from './report.ts';
import { amplitude } from './sources/amplitude.ts';
import { csvSource } from './sources/csv.ts';
import { mixpanel } from './sources/mixpanel.ts';
import { posthog } from './sources/posthog.ts';
import { segment } from './sources/segment.ts';
import type { Source } from './sources/source.ts';

const SOURCES: Readonly<Record<Exclude<ImportSource, 'csv'>, Source>> = {
  amplitude,
  mixpanel,
  posthog,
  segment,
};
const names = importSource.options.join(', ');

export const importEventsCommand: Command = {
  summary: 'import events of another product',
  help: `switchboard import events <source> <files or folders> --project <projectId> [options]

Imports events, and the people in them, of exports of ${names}. Files may be gzipped or in a zip file.
Importing again adds nothing, and resumes after an error. Prints the reasons for records that are refused or left out.
People are sent to SWITCHBOARD_INGESTION_URL, the address for events.

  --project <id>     the project
  --mapping <file>   for csv: which column is event, distinctId, time, id, sessionId and properties; YAML or JSON
  --key <key>        the project key for people (default: the first key of the project)
  --dry-run          read the files without importing them
${COMMON_HELP}
`,
  async run(args, terminal) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(args, {
      ...{ project: text, mapping: text, key: text },
      'dry-run': { type: 'boolean' },
    });
    const [, name, ...paths] = positionals;
    const { project: projectId, mapping, key, 'dry-run': dryRun = false } = values;
    const sourceName = importSource.safeParse(name).data;
    if (sourceName === undefined || paths.length === 0 || projectId === undefined)
      throw new UsageError(
        `usage: switchboard import events <source> <files or folders> --project <projectId>; sources: ${names}`,
      );
    if ((sourceName === 'csv') !== (mapping !== undefined))
      throw new UsageError(mapping === undefined ? 'csv: give --mapping' : '--mapping: only for csv');
    const source =
      sourceName === 'csv'
        ? csvSource(await terminal.read(mapping ?? ''), mapping ?? '')
        : SOURCES[sourceName];
    const client = openClient(values, terminal);
    const findKey = firstKeyOf(client, projectId);
    const progress = progressLine(
      terminal,
      ({ place, lines, events }: { place: string; lines: number; events: number }) =>
        `${events} events imported, ${lines} lines read, at ${place.slice(-80)}`,
    );
    const report = await importEvents(inputsOf(paths), {
      ...{ client, projectId, sourceName, source, dryRun },
      people: (onRefused) =>
        createPeople({
          url: addressFor('ingestion', values, terminal),
          key: async () => key ?? (await findKey()),
          retryForMs: retryForMs(values),
          ...{ dryRun, onRefused },
        }),
      onProgress: progress.show,
    }).finally(progress.end);
    terminal.out(values.json ? reportAsJson(report) : describeReport(report, dryRun ? 'would' : 'done'));
    return EXIT_CODES.done;
  },
};
