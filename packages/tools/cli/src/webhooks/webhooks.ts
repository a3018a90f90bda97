import type { Client } from '@switchboard/management';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { textColumns } from '../terminal/text-table.ts';

const USAGE =
  'usage: switchboard webhooks list <projectId>, switchboard webhooks rotate|test|messages <projectId> <webhookId>, or switchboard webhooks replay <projectId> <webhookId> <messageId>';

export const webhooks: Command = {
  summary: 'list webhooks and their messages, rotate secrets, test and send again',
  help: `switchboard webhooks list <projectId>
switchboard webhooks rotate <projectId> <webhookId>
switchboard webhooks test <projectId> <webhookId>
switchboard webhooks messages <projectId> <webhookId>
switchboard webhooks replay <projectId> <webhookId> <messageId>
switchboard webhooks replay <projectId> <webhookId> --from <time> --to <time> [--all]

A manifest creates and changes webhooks. Rotate one to see its secret, which is shown once: the previous one signs
too for a day.

  --from, --to     send the failed messages of a range again: RFC 3339 times with milliseconds
  --all            delivered messages too
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      from: { type: 'string' },
      to: { type: 'string' },
      all: { type: 'boolean' },
    });
    const [verb, projectId, webhookId, messageId, ...rest] = positionals;
    if (projectId === undefined || rest.length > 0) throw new UsageError(USAGE);
    const client = openClient(values, terminal);
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : `${text}\n`);
    if (verb === 'list' && webhookId === undefined) {
      const answer = await client.call('listWebhooks', { params: { projectId } });
      show(answer, textColumns(answer.webhooks.map(rowOf)));
      return EXIT_CODES.done;
    }
    if (webhookId === undefined) throw new UsageError(USAGE);
    const params = { projectId, webhookId };
    const isRange = values.from !== undefined && values.to !== undefined;
    if (verb === 'replay' && (messageId !== undefined) !== isRange) {
      const { from = '', to = '' } = values;
      const state = values.all === true ? ('all' as const) : ('failed' as const);
      const body = messageId === undefined ? { from, to, state } : { messageId };
      const answer = await client.call('replayWebhookMessages', { params, body });
      show(answer, `+ ${answer.queued} messages queued`);
      return EXIT_CODES.done;
    }
    if (messageId !== undefined) throw new UsageError(USAGE);
    const [answer, text] = await runVerb(client, verb, params);
    show(answer, text);
    return EXIT_CODES.done;
  },
};

async function runVerb(
  client: Client,
  verb: string | undefined,
  params: { projectId: string; webhookId: string },
): Promise<[answer: object, text: string]> {
  if (verb === 'rotate') {
    const answer = await client.call('rotateWebhookSecret', { params });
    return [answer, answer.secret];
  }
  if (verb === 'test') {
    const answer = await client.call('testWebhook', { params });
    return [answer, `+ message ${answer.id} queued`];
  }
  if (verb !== 'messages') throw new UsageError(USAGE);
  const answer = await client.call('listWebhookMessages', { params });
  const rows = answer.messages.map((one) => [
    one.createdAt,
    one.id,
    one.type,
    one.state,
    String(one.lastStatus ?? '-'),
  ]);
  return [answer, textColumns(rows)];
}

interface ListedWebhook {
  id: string;
  url: string;
  format: string;
  types: readonly string[];
  watched: readonly { cohort: string; failure: string | null }[];
  enabled: boolean;
  disabledReason: string | null;
  waiting: number;
}

function rowOf({
  id,
  url,
  format,
  types,
  watched,
  enabled,
  disabledReason,
  waiting,
}: ListedWebhook): string[] {
  const state = enabled ? 'enabled' : `disabled${disabledReason === null ? '' : `: ${disabledReason}`}`;
  const failures = watched.flatMap(({ cohort, failure }) =>
    failure === null ? [] : [`${cohort}: ${failure}`],
  );
  return [id, [state, ...failures].join('; '), `${waiting} waiting`, format, types.join(', '), url];
}
