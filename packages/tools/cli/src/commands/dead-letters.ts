import { ingestionTopics } from '@switchboard/contracts';
import { readArguments } from '../terminal/arguments.ts';
import type { Command } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

const TOPICS: string[] = Object.values(ingestionTopics);

export const deadLetters: Command = {
  summary: 'list and replay records that a service could not read',
  help: `switchboard dead-letters list [topic]
switchboard dead-letters replay <topic>

Connects to the event log itself: run it with the services' KAFKA_ settings, or EVENT_LOG_DATABASE_URL, in the
environment. Topics: ${TOPICS.join(', ')}.

list shows the dead letters that were not replayed yet, without their contents. replay publishes the dead letters that
exist when it starts to their topic again, with their original key and headers. A record that still cannot be read
becomes a dead letter again. After an error, replay again to resume.

  --json           print JSON
  -h, --help       print this help
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const [verb, topic, ...rest] = positionals;
    const isComplete = verb === 'list' || (verb === 'replay' && topic !== undefined);
    if (!isComplete || rest.length > 0) {
      throw new UsageError(
        'usage: switchboard dead-letters list [topic], or switchboard dead-letters replay <topic>',
      );
    }
    if (topic !== undefined && !TOPICS.includes(topic)) {
      throw new UsageError(`${topic}: no such topic; choose one of ${TOPICS.join(', ')}`);
    }
    // Loaded on first use: loading the event log and the service kit would double the start time of every command.
    const { list, replay } = await import('../dead-letters/commands.ts');
    const options = { terminal, json: values.json === true };
    return verb === 'replay' && topic !== undefined
      ? replay(topic, options)
      : list(topic === undefined ? TOPICS : [topic], options);
  },
};
