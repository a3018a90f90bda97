import { insightQuery } from '@switchboard/contracts';
import { csvOf, parseContent, tableOf } from '@switchboard/report-content';
import { z } from 'zod';
import { openClient } from '../login/session.ts';
import { readYaml } from '../manifest/yaml.ts';
import { readArguments } from '../terminal/arguments.ts';
import { type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { textTable } from '../terminal/text-table.ts';

const question = z.object({ project: z.string().min(1) }).loose();

/** Parses the project and the question of a file. Throws ManifestError. */
function parseQuestion(source: string, place: string) {
  const file = readYaml(source, place);
  const { project, ...rest } = file.parse(question);
  return { project, query: file.parse(insightQuery, rest) };
}

export const query: Command = {
  summary: 'query the events of a project',
  help: `switchboard query <query.yaml | -> [options]

The file has the id of a project and a query in the format of the API:

  project: acme-shop
  kind: trends
  range: { last: 7, unit: day }
  series: [{ event: order placed }]

Needs the token of a member of the company. SWITCHBOARD_ANALYTICS_URL, or SWITCHBOARD_URL, is the address of the API.

  --csv            print CSV in which spreadsheets find no formulas
  --url <address>  address of the API (default: SWITCHBOARD_URL)
  --wait <s>       seconds to retry while a service is unavailable (default: 15)
  --json           print the result as JSON
  -h, --help       print this help
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { csv: { type: 'boolean' } });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0) {
      throw new UsageError('give one query file, or - for standard input');
    }
    if (values.csv && values.json) throw new UsageError('give --csv or --json, not both');
    const { project, query: asked } = parseQuestion(await terminal.read(path), path);
    const client = openClient(values, terminal);
    const body = await client.call('askInsight', { params: { projectId: project }, body: asked });
    if (values.json) {
      terminal.out(`${JSON.stringify(body, null, 2)}\n`);
      return EXIT_CODES.done;
    }
    const { asOf, report } = body;
    const content = parseContent(report);
    if (content === undefined)
      throw new UsageError('this version cannot print the format of the result; use --json');
    terminal.out(
      values.csv ? csvOf(tableOf(content)) : `${textTable(tableOf(content))}\nEvents up to ${asOf}\n`,
    );
    return EXIT_CODES.done;
  },
};
