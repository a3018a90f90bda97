import { deadLetterTopic } from '@switchboard/contracts';
import type { Client, DeadLetter } from '@switchboard/management';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { oneLine } from '../terminal/text-table.ts';

const USAGE =
  'usage: switchboard dead-letters list [topic], switchboard dead-letters get <topic> <partition>/<offset>, or switchboard dead-letters replay <topic> [<partition>/<offset>...]';
const TOPICS = deadLetterTopic.options.join(', ');
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

export const deadLetters: Command = {
  summary: 'list, read and replay records that a service could not read',
  help: `switchboard dead-letters list [topic]
switchboard dead-letters get <topic> <partition>/<offset>
switchboard dead-letters replay <topic> [<partition>/<offset>...]

Topics: ${TOPICS}. list shows the dead letters of the last 30 days that were not replayed, newest first, without their
contents. get prints one; that is in the audit trail. replay publishes the dead letters that exist when it starts to
their topic again, with their original key and headers, or only those named. A record that still cannot be read becomes
a dead letter again. After an error, replay again to resume.

  --project <id>   list, replay: those of a project
  --reason <text>  list, replay: those with this text in their reason
  --all            list: also those that were replayed
  --limit <n>      list: at most n (default: ${DEFAULT_LIMIT})
  --again          replay: also named letters that were replayed before
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      project: { type: 'string' },
      reason: { type: 'string' },
      all: { type: 'boolean' },
      again: { type: 'boolean' },
      limit: { type: 'string' },
    });
    const [verb, given, ...places] = positionals;
    const topic = deadLetterTopic.optional().safeParse(given);
    if (!topic.success) throw new UsageError(`${given}: no such topic; choose one of ${TOPICS}`);
    const { project: projectId, reason } = values;
    const filter = {
      ...(projectId !== undefined && { projectId }),
      ...(reason !== undefined && { reason }),
    };
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : text);

    if (verb === 'list' && places.length === 0) {
      const query = {
        ...filter,
        ...(topic.data !== undefined && { topic: topic.data }),
        ...(values.all ? {} : { state: 'waiting' as const }),
      };
      const letters = await firsts(openClient(values, terminal), query, limitOf(values.limit));
      show({ deadLetters: letters }, letters.map((one) => `${lineOf(one)}\n`).join(''));
      return EXIT_CODES.done;
    }
    if (topic.data === undefined) throw new UsageError(USAGE);
    const [first, ...rest] = places.map(placeOf);
    if (verb === 'get' && first !== undefined && rest.length === 0) {
      const params = { topic: topic.data, ...first };
      const letter = await openClient(values, terminal).call('getDeadLetter', { params });
      show(letter, `${lineOf(letter)}\n${linesOf(letter.value ?? '')}\n`);
      return EXIT_CODES.done;
    }
    if (verb !== 'replay') throw new UsageError(USAGE);
    const client = openClient(values, terminal);
    const letters = first === undefined ? undefined : [first, ...rest];
    const done = { replayed: 0, skipped: 0, gone: 0 };
    let through: number | undefined;
    for (let remaining = 1; remaining > 0; ) {
      const body = {
        topic: topic.data,
        ...(letters === undefined
          ? { ...filter, ...(through !== undefined && { through }) }
          : { letters, again: values.again === true }),
      };
      const part = await client.call('replayDeadLetters', { body });
      done.replayed += part.replayed;
      done.skipped += part.skipped;
      done.gone += part.gone;
      ({ remaining, through } = part);
      // Letters that another call is replaying remain until it ends.
      if (letters !== undefined || part.replayed + part.gone === 0) break;
    }
    const others = [
      ...(done.skipped > 0 ? [`, ${done.skipped} replayed before or not found`] : []),
      ...(done.gone > 0 ? [`, ${done.gone} no longer in the event log`] : []),
    ];
    show({ topic: topic.data, ...done }, `${done.replayed} replayed${others.join('')}\n`);
    return EXIT_CODES.done;
  },
};

interface ListQuery {
  topic?: DeadLetter['topic'];
  state?: 'waiting';
  projectId?: string;
  reason?: string;
}

async function firsts(client: Client, query: ListQuery, limit: number): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  for await (const letter of client.list('listDeadLetters', { query })) {
    letters.push(letter);
    if (letters.length === limit) break;
  }
  return letters;
}

function limitOf(given = String(DEFAULT_LIMIT)): number {
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`--limit: give a whole number from 1 to ${MAX_LIMIT}`);
}

function placeOf(given: string) {
  const [, partition, offset] = /^(\d{1,6})\/(\d{1,15})$/.exec(given) ?? [];
  if (partition === undefined || offset === undefined)
    throw new UsageError(`${given}: give <partition>/<offset>, such as 3/17`);
  return { partition: Number(partition), offset: Number(offset) };
}

function lineOf({
  topic,
  partition,
  offset,
  deadLetteredAt,
  projectId,
  reason,
  replays,
}: DeadLetter): string {
  const times = replays === 0 ? '' : ` (replays: ${replays})`;
  return oneLine(
    `${deadLetteredAt} ${topic} ${partition}/${offset} ${projectId ?? '(no project)'}: ${reason}${times}`,
  );
}

const linesOf = (text: string) => text.split('\n').map(oneLine).join('\n');
