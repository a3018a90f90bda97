import type { ChangeRequest } from '@switchboard/management';
import { collect } from '../list-all.ts';
import { openClient } from '../login/session.ts';
import { differencesOf } from '../manifest/compare.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { readJson, readVersion } from '../terminal/options.ts';
import { UsageError } from '../terminal/terminal.ts';
import { printable } from '../terminal/text-table.ts';

const USAGE =
  'usage: switchboard requests list <projectId>, switchboard requests create <projectId> <flag>, or switchboard requests show|approve|reject|withdraw <projectId> <requestId>';

const decisions = ['approve', 'reject', 'withdraw'] as const;

export const requests: Command = {
  summary: 'request a change of a flag, and approve those of others',
  help: `switchboard requests list <projectId> [--all]
switchboard requests show <projectId> <requestId>
switchboard requests create <projectId> <flag> --patch '<JSON>'
switchboard requests approve|reject|withdraw <projectId> <requestId> [--note <text>]

In a project with flagApprovals, others approve each change of a flag. The last approval makes it. A request is withdrawn when the
flag changes, and expires after 30 days.

  --all               list closed requests too
  --patch <JSON>      the properties to replace, such as '{"rolloutPercentage":100}'
  --flag <JSON>       instead of --patch: the whole flag, or null to delete it
  --from <projectId>  instead of --patch: the project to copy the flag from
  --at <time>         schedule the change, RFC 3339, such as 2026-12-01T08:00:00Z
  --reason <text>     the reason, for the history of the flag
  --if-version <n>    fail unless the flag has this version
  --note <text>       the reason of the decision
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      all: { type: 'boolean' },
      patch: { type: 'string' },
      flag: { type: 'string' },
      from: { type: 'string' },
      at: { type: 'string' },
      reason: { type: 'string' },
      'if-version': { type: 'string' },
      note: { type: 'string' },
    });
    const [verb, projectId, what, ...rest] = positionals;
    const decision = decisions.find((one) => one === verb);
    const isKnown = decision !== undefined || verb === 'create' || verb === 'show' || verb === 'list';
    if (!isKnown || projectId === undefined || rest.length > 0 || (verb === 'list') !== (what === undefined))
      throw new UsageError(USAGE);
    const client = openClient(values, terminal);
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : text);

    if (what === undefined) {
      const query = values.all ? {} : { state: 'waiting' as const };
      const found = await collect(client.list('listChangeRequests', { params: { projectId }, query }));
      show({ requests: found }, found.map(lineOf).join(''));
      return EXIT_CODES.done;
    }
    if (verb === 'create') {
      const { from, at, reason } = values;
      const made = await client.call('requestFlagChange', {
        params: { projectId },
        body: {
          key: what,
          flag: readJson('--flag', values.flag),
          patch: readJson('--patch', values.patch),
          from,
          at,
          reason,
          ifVersion: readVersion(values['if-version']),
        },
      });
      show(made, describe(made));
      return EXIT_CODES.done;
    }
    const params = { projectId, requestId: what };
    const request =
      decision === undefined
        ? await client.call('getChangeRequest', { params })
        : await client.call('decideChangeRequest', { params, body: { decision, note: values.note } });
    show(request, decision === undefined ? describe(request) : lineOf(request));
    return EXIT_CODES.done;
  },
};

function lineOf({ id, key, state, author, reason, approvals, needed, closed }: ChangeRequest): string {
  const by = author === null ? '' : ` by ${printable(author)}`;
  const why = reason === null ? '' : ` (${printable(reason)})`;
  const note = closed === null || closed.note === null ? '' : `: ${printable(closed.note)}`;
  const progress = state === 'waiting' ? `${approvals.length} of ${needed} approvals` : `${state}${note}`;
  return `${id} ${printable(key)}${by}${why}: ${progress}\n`;
}

function describe(request: ChangeRequest): string {
  const { flag, at, version, changes } = request;
  const effect =
    flag === null ? 'deletes the flag' : version === 0 ? 'creates the flag' : `changes version ${version}`;
  const when = at === null ? '' : ` at ${at}`;
  const lines = changes
    .flatMap(({ property, before, after }) => differencesOf(before, after, property))
    .map(({ path, from, to }) => `    ${printable(path)}: ${textOf(from)} -> ${textOf(to)}\n`);
  return `${lineOf(request)}  ${effect}${when}\n${lines.join('')}`;
}

const textOf = (value: unknown) => (value === undefined ? 'not set' : printable(JSON.stringify(value)));
