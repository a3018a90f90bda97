import { z } from 'zod';
import { integerSetting, postgresUrl } from './fields.ts';

/** The event log: Kafka if KAFKA_BROKERS is set, otherwise a PostgreSQL database. */
export const eventLogSettings = {
  KAFKA_BROKERS: z
    .string()
    .transform((list) => list.split(',').map((broker) => broker.trim()))
    .refine((list) => list.every((broker) => /^[^\s:]+:\d+$/.test(broker)), 'not host:port, comma separated')
    .optional()
    .meta({ values: 'host:port' })
    .describe('Kafka bootstrap brokers.'),
  KAFKA_TLS: z
    .stringbool({ truthy: ['true'], falsy: ['false'], error: 'not true or false' })
    .default(false)
    .meta({ values: '`true`, `false`' })
    .describe('Use TLS. NODE_EXTRA_CA_CERTS adds a private certificate authority.'),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .default('scram-sha-512')
    .describe('SASL mechanism.'),
  KAFKA_USERNAME: z.string().optional().describe('SASL user. Without it there is no authentication.'),
  KAFKA_PASSWORD: z.string().optional().meta({ secret: true }).describe('Password of KAFKA_USERNAME.'),
  EVENT_LOG_DATABASE_URL: postgresUrl.optional().describe('Database of the event log without Kafka.'),
  TOPIC_PARTITIONS: integerSetting({ min: 1, max: 1000, fallback: 4 }).describe(
    'Partitions of a new topic. Change an existing topic with `switchboard topics repartition`.',
  ),
  TOPIC_REPLICATION: integerSetting({ min: 1, max: 10, fallback: 1 }).describe(
    'Replicas of each partition. With 3 or more, two replicas confirm each record.',
  ),
};
