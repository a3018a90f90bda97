import type { Result } from '@switchboard/management';
import { collect } from '../list-all.ts';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { printable } from '../terminal/text-table.ts';

const USAGE =
  'usage: switchboard messages send <projectId> --title <text> --body <text>, switchboard messages list <projectId>, or switchboard messages cancel <projectId> <messageId>';

type SentMessage = Result<'listSentMessages'>['messages'][number];

export const messages: Command = {
  summary: 'send, schedule, list and cancel in-app messages',
  help: `switchboard messages send <projectId> --title <text> --body <text> [--to <file | ->] [--at <time>]
switchboard messages list <projectId>
switchboard messages cancel <projectId> <messageId>

A message is for everyone, or for the distinct ids of a file. Only a scheduled message can be cancelled.

  --title <text>      up to 200 characters
  --body <text>       plain text of up to 10,000 characters
  --to <file>         up to 10,000 distinct ids, one a line (-: standard input); default: everyone
  --at <time>         RFC 3339, such as 2026-12-01T08:00:00Z; default: at once
${COMMON_HELP}
`,
  async run(args, terminal) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(args, { title: text, body: text, to: text, at: text });
    const [verb, projectId, id, ...rest] = positionals;
    const isKnown = verb === 'send' || verb === 'list' || verb === 'cancel';
    if (!isKnown || projectId === undefined || rest.length > 0 || (verb === 'cancel') !== (id !== undefined))
      throw new UsageError(USAGE);
    const client = openClient(values, terminal);
    const params = { projectId };
    const show = (value: object, line: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : line);

    if (id !== undefined) {
      await client.call('cancelMessage', { params: { projectId, id } });
      show({ cancelled: id }, `- message ${projectId} ${id}\n`);
      return EXIT_CODES.done;
    }
    if (verb === 'list') {
      const found = await collect(client.list('listSentMessages', { params }));
      show({ messages: found }, found.map(describe).join(''));
      return EXIT_CODES.done;
    }
    const { title, body, to, at } = values;
    if (title === undefined || body === undefined) throw new UsageError('give --title and --body');
    const distinctIds = to === undefined ? undefined : linesOf(await terminal.read(to));
    const sent = await client.call('sendMessage', {
      params,
      body: { title, body, ...(distinctIds && { distinctIds }), ...(at !== undefined && { sendAt: at }) },
    });
    show(sent, `+ message ${projectId} ${sent.id}\n`);
    return EXIT_CODES.done;
  },
};

const linesOf = (content: string): string[] => [
  ...new Set(
    content
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

function describe({ id, createdAt, title, isScheduled, recipients, reads }: SentMessage): string {
  const to = recipients === null ? 'everyone' : `${recipients} people`;
  const state = isScheduled ? 'scheduled' : `read by ${reads}`;
  return `${createdAt} ${id} ${printable(title)} (${to}): ${state}\n`;
}
