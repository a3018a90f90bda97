import { type EventLog, EventLogUnavailable, UnknownTopic } from '@switchboard/event-log';
import { ManagementError } from '@switchboard/management';
import {
  ConfigError,
  createLogger,
  createMetrics,
  eventLogSettings,
  openEventLog,
  parseConfig,
} from '@switchboard/runtime';
import { z } from 'zod';
import { EXIT_CODES } from '../terminal/command.ts';
import { type Terminal, UsageError } from '../terminal/terminal.ts';
import { type DeadLetter, listDeadLetters, replayDeadLetters } from './dead-letters.ts';

const MAX_BYTES_IN_FLIGHT = 67_108_864;

interface Options {
  terminal: Terminal;
  json: boolean;
}

export function list(topics: readonly string[], { terminal, json }: Options): Promise<number> {
  return withLog(terminal, async (log) => {
    const letters: DeadLetter[] = [];
    for (const topic of topics) letters.push(...(await listDeadLetters(log, topic)));
    terminal.out(json ? `${JSON.stringify(letters)}\n` : describe(letters));
  });
}

export function replay(topic: string, { terminal, json }: Options): Promise<number> {
  return withLog(terminal, async (log) => {
    const replayed = await replayDeadLetters(log, topic);
    terminal.out(json ? `${JSON.stringify({ topic, replayed })}\n` : `${replayed} replayed\n`);
  });
}

async function withLog(terminal: Terminal, work: (log: EventLog) => Promise<void>): Promise<number> {
  const log = openLog(terminal);
  try {
    await work(log);
    return EXIT_CODES.done;
  } catch (error) {
    if (error instanceof EventLogUnavailable || error instanceof UnknownTopic) {
      throw new ManagementError(error.message);
    }
    throw error;
  } finally {
    await log.close();
  }
}

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
