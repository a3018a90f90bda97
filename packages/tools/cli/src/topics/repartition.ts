import {
  EventLogUnavailable,
  repartitionKafkaTopic,
  repartitionPostgresTopic,
  UnknownTopic,
} from '@switchboard/event-log';
import { ManagementError } from '@switchboard/management';
import { ConfigError, eventLogSettings, kafkaConnection, parseConfig } from '@switchboard/runtime';
import { z } from 'zod';
import { type Terminal, UsageError } from '../terminal/terminal.ts';

/** Returns false if the topic already has this number of partitions. Throws UsageError and ManagementError. */
export async function repartition(
  { env, err }: Terminal,
  { topic, partitions }: { topic: string; partitions: number },
): Promise<boolean> {
  try {
    const config = parseConfig(z.object(eventLogSettings), env);
    const connection = kafkaConnection(config, 'switchboard');
    const options = { topic, partitions, onProgress: (message: string) => err(`${message}\n`) };
    if (connection !== undefined) return await repartitionKafkaTopic(connection, options);
    if (config.EVENT_LOG_DATABASE_URL === undefined) {
      throw new UsageError('set KAFKA_BROKERS or EVENT_LOG_DATABASE_URL');
    }
    return await repartitionPostgresTopic(config.EVENT_LOG_DATABASE_URL, options);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    if (error instanceof UnknownTopic) {
      throw new ManagementError(`${error.message}: ingestion creates it when it starts`);
    }
    if (error instanceof EventLogUnavailable) throw new ManagementError(error.message);
    throw error;
  }
}
