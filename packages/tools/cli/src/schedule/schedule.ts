import type { ScheduledChange } from '@switchboard/management';
import { collect } from '../list-all.ts';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { readJson, readVersion } from '../terminal/options.ts';
import { UsageError } from '../terminal/terminal.ts';
import { printable } from '../terminal/text-table.ts';

const USAGE =
  "usage: switchboard schedule create <projectId> <flag> --at <time> --patch '<JSON>', switchboard schedule list <projectId>, or switchboard schedule cancel <projectId> <changeId>";

export const schedule: Command = {
  summary: 'schedule a change of a flag',
  help: `switchboard schedule create <projectId> <flag> --at <time> --patch '<JSON>'
switchboard schedule list <projectId>
switchboard schedule cancel <projectId> <changeId>

A change is applied once, within seconds of its time, if you still have the permission at that time. If you do not, or
if the change would make the flag invalid, nothing changes, and list shows the reason.

  --at <time>         RFC 3339, such as 2026-12-01T08:00:00Z
  --patch <JSON>      the properties to replace, such as '{"rolloutPercentage":100}'
  --flag <JSON>       instead of --patch: the whole flag
  --reason <text>     the reason, for the history of the flag
  --if-version <n>    fail unless the flag has this version at that time
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      at: { type: 'string' },
      patch: { type: 'string' },
      flag: { type: 'string' },
      reason: { type: 'string' },
      'if-version': { type: 'string' },
    });
    const [verb, projectId, what, ...rest] = positionals;
    const takesOne = verb === 'create' || verb === 'cancel';
    const isComplete = projectId !== undefined && rest.length === 0 && takesOne === (what !== undefined);
    if (!isComplete || !(takesOne || verb === 'list')) throw new UsageError(USAGE);
    const client = openClient(values, terminal);
    const params = { projectId };
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : text);

    if (what === undefined) {
      const changes = await collect(client.list('listScheduledChanges', { params }));
      show({ changes }, changes.map(describe).join(''));
      return EXIT_CODES.done;
    }
    if (verb === 'cancel') {
      await client.call('cancelScheduledChange', { params: { projectId, changeId: what } });
      show({ cancelled: what }, `- change ${projectId} ${what}\n`);
      return EXIT_CODES.done;
    }
    const { at, reason } = values;
    if (at === undefined) throw new UsageError('--at: give the time of the change');
    const made = await client.call('scheduleFlagChange', {
      params,
      body: {
        key: what,
        at,
        reason,
        patch: readJson('--patch', values.patch),
        flag: readJson('--flag', values.flag),
        ifVersion: readVersion(values['if-version']),
      },
    });
    show(made, `+ change ${projectId} ${made.id}\n`);
    return EXIT_CODES.done;
  },
};

function describe({ id, key, at, reason, failure }: ScheduledChange): string {
  const state = failure === null ? 'waits' : `failed: ${failure.message}`;
  const why = reason === undefined ? '' : ` (${printable(reason)})`;
  return `${at} ${id} ${printable(key)}${why}: ${state}\n`;
}
