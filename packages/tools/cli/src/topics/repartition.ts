import { EventLogUnavailable, repartitionKafkaTopic, UnknownTopic } from '@switchboard/event-log';
import { ManagementError } from '@switchboard/management';
import { ConfigError, eventLogSettings, kafkaConnection, parseConfig } from '@switchboard/runtime';
import { z } from 'zod';
import { type Terminal, UsageError } from '../commands/terminal.ts';

/** Returns false if the topic already has this number of partitions. Throws UsageError and ManagementError. */
export async function repartition(
  { env, err }: Terminal,
  { topic, partitions }: { topic: string; partitions: number },
): Promise<boolean> {
  try {
    const connection = kafkaConnection(parseConfig(z.object(eventLogSettings), env), 'switchboard');
    if (connection === undefined) {
      throw new UsageError(
        'set KAFKA_BROKERS: an event log on PostgreSQL runs on one machine, so more partitions do not help',
      );
    }
    const onProgress = (message: string) => err(`${message}\n`);
    return await repartitionKafkaTopic(connection, { topic, partitions, onProgress });
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    if (error instanceof UnknownTopic) {
      throw new ManagementError(`${error.message}: ingestion creates it when it starts`);
    }
    if (error instanceof EventLogUnavailable) throw new ManagementError(error.message);
    throw error;
  }
}
