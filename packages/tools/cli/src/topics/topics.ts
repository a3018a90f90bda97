import { ingestionTopics } from '@switchboard/contracts';
import { type Command, EXIT_CODES } from '../commands/command.ts';
import { readArguments } from '../commands/session.ts';
import { UsageError } from '../commands/terminal.ts';

const TOPICS: string[] = Object.values(ingestionTopics);
const USAGE = 'usage: switchboard topics repartition <topic> --to <partitions>';
const MAX_PARTITIONS = 1_000;

export const topics: Command = {
  summary: 'give a topic of Kafka another number of partitions',
  help: `switchboard topics repartition <topic> --to <partitions>

Topics: ${TOPICS.join(', ')}. Services keep running: for about a second they answer 503 to what goes to the topic, and
clients send it again. No record is lost, and those of one person keep their order, because each consumer reads the old
partitions to their ends before the new ones. After an error, run it again with the same number to resume.

Connects with the KAFKA_ settings of the environment. Their user must be allowed to create the topic <topic>.from-<n>,
to describe and alter the configuration of both, and to write to them.

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
    // Loaded on first use, for the same reason as in dead-letters.
    const { repartition } = await import('./repartition.ts');
    const isChanged = await repartition(terminal, { topic, partitions });
    const text = isChanged
      ? `${topic} has ${partitions} partitions now\n`
      : `${topic} has ${partitions} partitions\n`;
    terminal.out(values.json === true ? `${JSON.stringify({ topic, partitions, isChanged })}\n` : text);
    return EXIT_CODES.done;
  },
};
