import { csvRows } from '@switchboard/report-content';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { textColumns } from '../terminal/text-table.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

export const sql: Command = {
  summary: 'query a project with SQL',
  help: `switchboard sql <projectId> <query.sql | -> [options]

The file has one SELECT in the SQL of DuckDB, or of ClickHouse if it has the events: --json prints the dialect. The
tables are events, people, groups and sessions. Needs the token of a member of the company. SWITCHBOARD_ANALYTICS_URL, or SWITCHBOARD_URL, is the address of the API.

  --param <name=value>  value of $name in the query, or of {name:Type} in ClickHouse; repeatable
  --days <n>            reads the events of this many days, including today (default: ${DEFAULT_DAYS})
  --csv                 print CSV in which spreadsheets find no formulas
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      param: { type: 'string', multiple: true },
      days: { type: 'string' },
      csv: { type: 'boolean' },
    });
    const [projectId, path, ...rest] = positionals;
    if (projectId === undefined || path === undefined || rest.length > 0) {
      throw new UsageError('give a project and one file with a query, or - for standard input');
    }
    if (values.csv && values.json) throw new UsageError('give --csv or --json, not both');
    const days = Number(values.days ?? DEFAULT_DAYS);
    if (!(Number.isInteger(days) && days > 0 && days <= MAX_DAYS)) {
      throw new UsageError(`--days: give a number from 1 to ${MAX_DAYS}`);
    }
    const params = Object.fromEntries((values.param ?? []).map(parameterOf));
    const query = await terminal.read(path);
    const body = await openClient(values, terminal).call('runSql', {
      params: { projectId },
      body: { query, params, range: { last: days, unit: 'day' } },
    });
    if (values.json) {
      terminal.out(`${JSON.stringify(body, null, 2)}\n`);
      return EXIT_CODES.done;
    }
    const lines = [body.columns.map(({ name }) => name), ...body.rows];
    terminal.out(values.csv ? csvRows(lines) : textColumns(lines.map((line) => line.map(shown))));
    if (body.truncated) terminal.err('There are more rows. Select fewer, or aggregate.\n');
    return EXIT_CODES.done;
  },
};

function parameterOf(given: string): [name: string, value: string] {
  const at = given.indexOf('=');
  if (at < 1) throw new UsageError(`--param ${given}: give name=value`);
  return [given.slice(0, at), given.slice(at + 1)];
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
