import { listGroups } from '@switchboard/contracts';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { textColumns } from '../terminal/text-table.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const { sort: sortOption } = listGroups.request.query.shape;

export const groups: Command = {
  summary: 'list the groups of a project, or the members of one',
  help: `switchboard groups <projectId> [--type <type>] [--search <text>] [--sort last_seen|members]
switchboard groups <projectId> <type> <id>

Lists groups, last seen first, or the members of a group. Needs the token of a member of the company, and
SWITCHBOARD_URL, the address of the API.

  --type <type>        only groups of this type, such as company
  --search <text>      the beginning of an id or a name
  --sort <order>       last_seen or members
  --limit <n>          most groups or members to list (default: ${DEFAULT_LIMIT})
${COMMON_HELP}
`,
  async run(args, terminal) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(args, {
      ...{ type: text, search: text, sort: text, limit: text },
    });
    const [projectId, type, id, ...rest] = positionals;
    const isOne = type !== undefined && id !== undefined;
    if (projectId === undefined || rest.length > 0 || (type !== undefined && !isOne))
      throw new UsageError('give a project, or a project with the type and the id of a group');
    const sort = sortOption.safeParse(values.sort);
    if (!sort.success) throw new UsageError('--sort: give last_seen or members');
    const limit = Number(values.limit ?? DEFAULT_LIMIT);
    if (!(Number.isInteger(limit) && limit > 0 && limit <= MAX_LIMIT))
      throw new UsageError(`--limit: give a number from 1 to ${MAX_LIMIT}`);
    const client = openClient(values, terminal);
    const found: object[] = [];
    const lines = [
      isOne ? ['PERSON', 'IDS', 'LAST SEEN'] : ['TYPE', 'GROUP', 'NAME', 'MEMBERS', 'LAST SEEN'],
    ];
    for (let cursor: string | null | undefined; found.length < limit && cursor !== null; ) {
      const left = limit - found.length;
      if (isOne) {
        const page = await client.call('getGroup', { params: { projectId, type, id }, query: { cursor } });
        const people = page.people.slice(0, left);
        found.push(...people);
        lines.push(...people.map((one) => [one.distinctId, String(one.ids.length), one.lastSeenAt ?? '-']));
        cursor = page.nextCursor;
      } else {
        const query = { type: values.type, search: values.search, sort: sort.data, cursor };
        const page = await client.call('listGroups', { params: { projectId }, query });
        const listed = page.groups.slice(0, left);
        found.push(...listed);
        lines.push(
          ...listed.map((one) => [
            ...[one.type, one.id, shown(one.traits['name'])],
            ...[String(one.members), one.lastSeenAt ?? '-'],
          ]),
        );
        cursor = page.nextCursor;
      }
    }
    const json = isOne ? { people: found } : { groups: found };
    terminal.out(values.json ? `${JSON.stringify(json, null, 2)}\n` : textColumns(lines));
    return EXIT_CODES.done;
  },
};

const shown = (value: unknown) => (typeof value === 'string' ? value : '');
