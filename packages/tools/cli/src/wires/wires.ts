import type { Item } from '@switchboard/management';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { textColumns } from '../terminal/text-table.ts';

export const wires: Command = {
  summary: 'list what arrives in a project by which wire',
  help: `switchboard wires <projectId>

Prints the accepted requests and events of the last 24 hours and 7 days for our own API and for those of other
products, the SDKs that sent them, and why requests or parts were not kept. Needs the token of a member of the company,
and SWITCHBOARD_URL, the address of the API.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const [projectId, ...rest] = positionals;
    if (projectId === undefined || rest.length > 0) throw new UsageError('give one project');
    const client = openClient(values, terminal);
    const answer = await client.call('listWireUsage', { params: { projectId } });
    const rows = [HEAD, ...answer.wires.flatMap(rowsOf)];
    terminal.out(values.json ? `${JSON.stringify(answer)}\n` : `${textColumns(rows)}\n`);
    return EXIT_CODES.done;
  },
};

const HEAD = ['WIRE', 'STATE', 'REQUESTS 24 H', '7 D', 'EVENTS 24 H', '7 D', 'LAST SEEN'];

function rowsOf({ wire, on, requests, events, lastSeenAt, sdks, losses }: Item<'listWireUsage'>): string[][] {
  const counts = [requests.day, requests.week, events.day, events.week].map(String);
  return [
    [wire, on ? 'on' : 'off', ...counts, lastSeenAt ?? '-'],
    ...sdks.map((sdk) => [
      '',
      `${sdk.name} ${sdk.version}`,
      '',
      String(sdk.requests),
      '',
      '',
      sdk.lastSeenAt,
    ]),
    ...losses.map((loss) => ['', `not kept: ${loss.reason}`, '', String(loss.requests), '', '', loss.lastAt]),
  ];
}
