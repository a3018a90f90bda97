import { subscriptionDefinition } from '@switchboard/contracts';
import type { Client, Item } from '@switchboard/management';
import { openClient } from '../login/session.ts';
import { readYaml } from '../manifest/yaml.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { type Terminal, UsageError } from '../terminal/terminal.ts';
import { oneLine, textColumns } from '../terminal/text-table.ts';

const USAGE =
  'usage: switchboard subscriptions list <projectId>, switchboard subscriptions show|remove|send <projectId> <subscriptionId>, or switchboard subscriptions put <projectId> <subscriptionId> <file | ->';

type Subscription = Item<'listSubscriptions'>;

export const subscriptions: Command = {
  summary: 'list, show, create, change, remove and send subscriptions',
  help: `switchboard subscriptions list <projectId>
switchboard subscriptions show <projectId> <subscriptionId>
switchboard subscriptions put <projectId> <subscriptionId> <file | ->
switchboard subscriptions remove <projectId> <subscriptionId>
switchboard subscriptions send <projectId> <subscriptionId>

A subscription sends a report, a dashboard or a digest of unread threads (target: { kind: threads }) on a schedule. Its
file has the format of the API, in YAML or JSON:

  target: { kind: report, id: weekly-sign-ups }
  schedule: { every: week, on: 1, at: "08:30", timeZone: Europe/Berlin }
  recipients: [sub-grace]
  channels: [{ kind: slack, url: https://hooks.slack.com/services/... }]

Without channels, those of the subscription stay. A manifest creates and changes subscriptions as well, but not their
channels, because the URLs are secrets.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const [verb, projectId, subscriptionId, file, ...rest] = positionals;
    const isKnown = projectId !== undefined && rest.length === 0 && (verb === 'put') === (file !== undefined);
    if (!isKnown) throw new UsageError(USAGE);
    const client = openClient(values, terminal);
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : text);
    if (verb === 'list' && subscriptionId === undefined) {
      const answer = await client.call('listSubscriptions', { params: { projectId } });
      show(answer, textColumns(answer.subscriptions.map(rowOf)));
      return EXIT_CODES.done;
    }
    if (subscriptionId === undefined) throw new UsageError(USAGE);
    const params = { projectId, subscriptionId };
    const [answer, text] =
      file === undefined ? await runVerb(client, verb, params) : await put(client, params, terminal, file);
    show(answer, text);
    return EXIT_CODES.done;
  },
};

interface Params {
  projectId: string;
  subscriptionId: string;
}

async function put(
  client: Client,
  params: Params,
  terminal: Terminal,
  file: string,
): Promise<[answer: object, text: string]> {
  const body = readYaml(await terminal.read(file), file).parse(subscriptionDefinition);
  const answer = await client.call('putSubscription', { params, body });
  return [answer, describe(answer)];
}

/** Returns the answer of the API, and its text. */
async function runVerb(
  client: Client,
  verb: string | undefined,
  params: Params,
): Promise<[answer: object, text: string]> {
  const named = `subscription ${params.projectId} ${params.subscriptionId}`;
  if (verb === 'show') {
    const answer = await client.call('getSubscription', { params });
    return [answer, describe(answer)];
  }
  if (verb === 'send') {
    await client.call('sendSubscription', { params });
    return [{ queued: params.subscriptionId }, `+ ${named} queued\n`];
  }
  if (verb !== 'remove') throw new UsageError(USAGE);
  // The API deletes nothing and succeeds if the subscription does not exist.
  await client.call('getSubscription', { params });
  await client.call('deleteSubscription', { params });
  return [{ removed: params.subscriptionId }, `- ${named}\n`];
}

function rowOf(subscription: Subscription): string[] {
  const { id, target, recipients, channels, nextAt } = subscription;
  return [
    id,
    stateOf(subscription),
    nextAt ?? '-',
    `to ${recipients.length + channels.length}`,
    nameOf(target),
  ];
}

function describe(subscription: Subscription): string {
  const { id, target, schedule, recipients, channels, nextAt, lastSentAt } = subscription;
  const day = 'on' in schedule ? ` ${schedule.on}` : '';
  const facts = [
    ['id', id],
    ['sends', nameOf(target)],
    ['every', `${schedule.every}${day}, ${schedule.at} ${schedule.timeZone}`],
    ['state', stateOf(subscription)],
    ['next', nextAt ?? '-'],
    ['last sent', lastSentAt ?? '-'],
    ...recipients.map(({ sub, unsubscribed }) => ['to', unsubscribed ? `${sub} (unsubscribed)` : sub]),
    ...channels.map(({ kind, url }) => ['to', `${kind} ${url}`]),
  ];
  return facts.map(([name = '', value = '']) => `${name.padEnd(9)}  ${oneLine(value)}\n`).join('');
}

const nameOf = (target: Subscription['target']) =>
  target.kind === 'threads' ? 'unread threads' : `${target.kind} ${target.id}`;

function stateOf({ enabled, pausedReason, isSending, failure }: Subscription): string {
  if (isSending) return 'sending';
  if (!enabled) return `paused${pausedReason === null ? '' : `: ${pausedReason}`}`;
  return failure === null ? 'on' : `failed: ${failure.message}`;
}
