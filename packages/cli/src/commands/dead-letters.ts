import { ingestionTopics } from '@switchboard/contracts';
import { EventLogUnavailable, UnknownTopic } from '@switchboard/event-log';
import {
  ConfigError,
  createLogger,
  createMetrics,
  eventLogSettings,
  openEventLog,
  parseConfig,
} from '@switchboard/service-kit';
import { z } from 'zod';
import { type DeadLetter, listDeadLetters, replayDeadLetters } from '../dead-letters/dead-letters.ts';
import { ManagementError } from '../management-client.ts';
import { type Command, EXIT_CODES } from './command.ts';
import { readArguments } from './session.ts';
import { type Terminal, UsageError } from './terminal.ts';

const MAX_BYTES_IN_FLIGHT = 67_108_864;
const TOPICS: string[] = Object.values(ingestionTopics);

export const deadLetters: Command = {
  summary: 'list and replay records that a service could not read',
  help: `switchboard dead-letters list [topic]
switchboard dead-letters replay <topic>

Connects to the event log itself: run it with the services' KAFKA_ settings, or EVENT_LOG_DATABASE_URL, in the
environment. Topics: ${TOPICS.join(', ')}.

list shows the dead letters that were not replayed yet, without their contents. replay publishes them to their topic
again, with their original key and headers, up to those there are when it begins. One that still cannot be read
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
    const log = openLog(terminal);
    try {
      if (verb === 'replay' && topic !== undefined) {
        const replayed = await replayDeadLetters(log, topic);
        terminal.out(values.json ? `${JSON.stringify({ topic, replayed })}\n` : `${replayed} replayed\n`);
      } else {
        const letters: DeadLetter[] = [];
        for (const one of topic === undefined ? TOPICS : [topic]) {
          letters.push(...(await listDeadLetters(log, one)));
        }
        terminal.out(values.json ? `${JSON.stringify(letters)}\n` : describe(letters));
      }
      return EXIT_CODES.done;
    } catch (error) {
      if (error instanceof EventLogUnavailable || error instanceof UnknownTopic) {
        throw new ManagementError(error.message);
      }
      throw error;
    } finally {
      await log.close();
    }
  },
};

function openLog({ env }: Terminal) {
  try {
    const config = { ...parseConfig(z.object(eventLogSettings), env), MAX_BYTES_IN_FLIGHT };
    const logger = createLogger({ service: 'switchboard', level: 'silent' });
    return openEventLog({ config, logger, metrics: createMetrics('switchboard') }, 'switchboard');
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}

function describe(letters: readonly DeadLetter[]): string {
  const lines = letters.map(({ topic, partition, offset, deadLetteredAt, headers, reason }) => {
    const project = headers['project'] ?? '(no project)';
    return `${deadLetteredAt} ${topic}/${partition} ${offset} ${project}: ${reason}`;
  });
  return [...lines, `${letters.length} to replay`, ''].join('\n');
}
