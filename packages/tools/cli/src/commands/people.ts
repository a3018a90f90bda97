import { anchorRequest, insightQuery } from '@switchboard/contracts';
import type { Client } from '@switchboard/management';
import { z } from 'zod';
import { openClient } from '../login/session.ts';
import { readYaml } from '../manifest/yaml.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { type Terminal, UsageError } from '../terminal/terminal.ts';
import { textColumns } from '../terminal/text-table.ts';

const DEFAULT_LIMIT = 100;
/** The most people that a cohort names. */
const MAX_LIMIT = 10_000;

export const people: Command = {
  summary: 'list the people of a project, or those behind a value of a query',
  help: `switchboard people <projectId> [--search <text>] [--cohort <id>] [--where <clauses>]
switchboard people --query <query.yaml | -> [options]

Lists people, last seen first. Needs the token of a member of the company, and SWITCHBOARD_URL, the address of the API.

  --search <text>      the beginning of an id, a name or an email
  --cohort <id>        only people of this cohort
  --where <clauses>    clauses of a flag, as JSON
  --query <file>       a file as for switchboard query, with the point of a value, such as point: { step: 1 }
  --as-cohort <name>   print a cohort of these people, to send to PUT /v1/projects/<projectId>/cohorts/<cohortId>
  --limit <n>          most people to list (default: ${DEFAULT_LIMIT}; with --as-cohort: ${MAX_LIMIT})
${COMMON_HELP}
`,
  async run(args, terminal) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(args, {
      ...{ search: text, cohort: text, where: text, query: text, limit: text, 'as-cohort': text },
    });
    const [project, ...rest] = positionals;
    if (rest.length > 0 || (project === undefined) === (values.query === undefined)) {
      throw new UsageError('give a project, or a file with --query');
    }
    const name = values['as-cohort'];
    const limit = Number(values.limit ?? (name === undefined ? DEFAULT_LIMIT : MAX_LIMIT));
    if (!(Number.isInteger(limit) && limit > 0 && limit <= MAX_LIMIT))
      throw new UsageError(`--limit: give a number from 1 to ${MAX_LIMIT}`);
    const read =
      project === undefined
        ? await readerOfValue(values.query ?? '-', terminal)
        : readerOfList(project, { search: values.search, cohort: values.cohort, where: values.where });
    const client = openClient(values, terminal);
    const found: Listed[] = [];
    for (let cursor: string | null | undefined; found.length < limit && cursor !== null; ) {
      const page = await read(client, cursor);
      found.push(...page.people.slice(0, limit - found.length));
      cursor = page.nextCursor;
    }
    const distinctIds = found.map(({ distinctId }) => distinctId);
    if (name !== undefined) terminal.out(`${JSON.stringify({ name, match: [], distinctIds })}\n`);
    else terminal.out(values.json ? `${JSON.stringify({ people: found }, null, 2)}\n` : tableOf(found));
    return EXIT_CODES.done;
  },
};

interface Listed {
  distinctId: string;
  ids: string[];
  traits: Record<string, unknown>;
  lastSeenAt: string | null;
}

type ReadPage = (
  client: Client,
  cursor: string | undefined,
) => Promise<{ people: Listed[]; nextCursor: string | null }>;

function readerOfList(projectId: string, filters: Record<string, string | undefined>): ReadPage {
  return (client, cursor) =>
    client.call('listPeople', { params: { projectId }, query: { ...filters, cursor } });
}

/** Throws ManifestError. */
async function readerOfValue(path: string, terminal: Terminal): Promise<ReadPage> {
  const file = readYaml(await terminal.read(path), path);
  const { project, point, ...rest } = file.parse(valueFile);
  const question = file.parse(insightQuery, rest);
  return (client, cursor) =>
    client.call('listInsightPeople', { params: { projectId: project }, body: { question, point, cursor } });
}

const valueFile = z.object({ project: z.string().min(1), point: anchorRequest }).loose();

function tableOf(found: readonly Listed[]): string {
  const shown = (value: unknown) => (typeof value === 'string' ? value : '');
  return textColumns([
    ['PERSON', 'IDS', 'NAME', 'EMAIL', 'LAST SEEN'],
    ...found.map(({ distinctId, ids, traits, lastSeenAt }) => [
      distinctId,
      String(ids.length),
      shown(traits['name']),
      shown(traits['email']),
      lastSeenAt ?? '-',
    ]),
  ]);
}
