import { type AppliedAcls, applyKafkaAcls, EventLogUnavailable, type KafkaAcl } from '@switchboard/event-log';
import { ManagementError } from '@switchboard/management';
import { ConfigError, eventLogSettings, kafkaConnection, parseConfig } from '@switchboard/runtime';
import { z } from 'zod';
import { type Terminal, UsageError } from '../terminal/terminal.ts';

/** Applies the ACLs of the users to the brokers of the environment. Throws UsageError and ManagementError. */
export async function applyAcls(
  { env }: Terminal,
  users: readonly string[],
  acls: readonly KafkaAcl[],
): Promise<AppliedAcls> {
  try {
    const connection = kafkaConnection(parseConfig(z.object(eventLogSettings), env), 'switchboard');
    if (connection === undefined) throw new UsageError('set KAFKA_BROKERS: only Kafka has ACLs');
    return await applyKafkaAcls(connection, users, acls);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    if (error instanceof EventLogUnavailable) throw new ManagementError(error.message);
    throw error;
  }
}
