import { ingestionTopics } from '@switchboard/contracts';
import { readArguments } from '../terminal/arguments.ts';
import { type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

const TOPICS: string[] = Object.values(ingestionTopics);
const USAGE = 'usage: switchboard topics repartition <topic> --to <partitions>';
const MAX_PARTITIONS = 1_000;

export const topics: Command = {
  summary: 'change the number of partitions of a topic',
  help: `switchboard topics repartition <topic> --to <partitions>

Topics: ${TOPICS.join(', ')}. Ingestion answers 503 with Retry-After to what goes to the topic until the command ends,
and SDKs send it again. The command waits until every consumer group has read the topic, creates it with the new number
of partitions, and resumes. No record is lost, and those of one person keep their order. If it is interrupted, run it
again. To cancel it, run it with the current number.

Connects with the KAFKA_ settings or EVENT_LOG_DATABASE_URL of the environment. On Kafka, the user must be allowed to
create, describe, alter and delete the topics <topic> and <topic>.next, and to describe every consumer group.

  --to <n>         partitions, 1 to ${MAX_PARTITIONS}
  --json           print JSON
  -h, --help       print this help
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { to: { type: 'string' } });
    const [verb, topic, ...rest] = positionals;
    const partitions = Number(values.to);
    if (verb !== 'repartition' || topic === undefined || values.to === undefined || rest.length > 0) {
      throw new UsageError(USAGE);
    }
    if (!TOPICS.includes(topic)) {
      throw new UsageError(`${topic}: choose one of ${TOPICS.join(', ')}`);
    }
    if (!Number.isInteger(partitions) || partitions < 1 || partitions > MAX_PARTITIONS) {
      throw new UsageError(`--to: give a whole number from 1 to ${MAX_PARTITIONS}`);
    }
    // Loaded on first use: loading the event log and the service kit would double the start time of every command.
    const { repartition } = await import('./repartition.ts');
    const isChanged = await repartition(terminal, { topic, partitions });
    const text = isChanged
      ? `${topic} has ${partitions} partitions now\n`
      : `${topic} has ${partitions} partitions\n`;
    terminal.out(values.json === true ? `${JSON.stringify({ topic, partitions, isChanged })}\n` : text);
    return EXIT_CODES.done;
  },
};
