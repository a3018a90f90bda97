import { importedFrom } from '@switchboard/contracts';
import { createPeople, firstKeyOf } from '../imports/people.ts';
import { progressLine } from '../imports/progress.ts';
import { inputsOf } from '../imports/reading/inputs.ts';
import { reportAsJson } from '../imports/reasons.ts';
import { addressFor, openClient, retryForMs } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { importConversations } from './import-conversations.ts';
import { describeReport } from './report.ts';
import { PRODUCTS } from './sources/products.ts';

const names = importedFrom.options.join(', ');

export const importConversationsCommand: Command = {
  summary: 'import conversations of another product',
  help: `switchboard import conversations <product> <files or folders> --project <projectId> [options]

Imports conversations, with notes, labels, attachments and the people in them, from what the API of ${names} returns:
JSON or JSON lines, which may be gzipped or in a zip file. Importing again adds new messages, and resumes after an error.
No one is notified. Prints the reasons for records that are refused or left out. Traits of people are sent to
SWITCHBOARD_INGESTION_URL, the address for events.

  --project <id>                the project
  --key <key>                   the project key for people (default: the first key of the project)
  --private-networks <networks> download attachments from these private networks too, such as 10.0.0.0/8
  --dry-run                     read the files without importing them
${COMMON_HELP}
`,
  async run(args, terminal) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(args, {
      ...{ project: text, key: text, 'private-networks': text },
      'dry-run': { type: 'boolean' },
    });
    const [, name, ...paths] = positionals;
    const {
      project: projectId,
      key,
      'private-networks': privateNetworks,
      'dry-run': dryRun = false,
    } = values;
    const product = importedFrom.safeParse(name).data;
    if (product === undefined || paths.length === 0 || projectId === undefined)
      throw new UsageError(
        `usage: switchboard import conversations <product> <files or folders> --project <projectId>; products: ${names}`,
      );
    const client = openClient(values, terminal);
    // Loaded for this command only.
    const { openFiles } = await import('./sending/files.ts');
    const findKey = firstKeyOf(client, projectId);
    const progress = progressLine(
      terminal,
      ({ conversations, of }: { conversations: number; of: number }) =>
        `${conversations} of ${of} conversations imported`,
    );
    const report = await importConversations(inputsOf(paths), {
      ...{ client, projectId, product, source: PRODUCTS[product], dryRun },
      files: openFiles({ client, projectId, privateNetworks }),
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
