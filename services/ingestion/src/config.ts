import { commonSettings, eventLogSettings, integerSetting, redisUrl } from '@switchboard/service-kit';
import { z } from 'zod';

const hours = (fallback: number) => integerSetting({ min: 1, max: 87_600, fallback });

const bytesPerSecond = (fallback: number) => integerSetting({ min: 1_000, max: 1_000_000_000_000, fallback });

export const ingestionSettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  TOPIC_MIN_IN_SYNC_REPLICAS: integerSetting({ min: 1, max: 10, fallback: 1 }).describe(
    'Replicas that must have a record before it counts as stored (Kafka only); use 2 with TOPIC_REPLICATION 3.',
  ),
  REDIS_URL: redisUrl
    .optional()
    .describe('Redis in which instances count quotas together; else each for itself.'),
  BYTES_PER_PROJECT_PER_SECOND: bytesPerSecond(50_000_000).describe(
    'Bytes that a project may send per second, averaged over two seconds; past it 429. Counts bodies as sent and as decompressed, 64 per JSON value and 1,000 per request. Replay chunks are counted apart.',
  ),
  BYTES_PER_ADDRESS_PER_SECOND: bytesPerSecond(50_000_000).describe(
    'The same for an IPv4 address or an IPv6 /64 network. Set TRUSTED_PROXY_HOPS behind proxies.',
  ),
  EVENTS_RETENTION_HOURS: hours(168).describe('How long the topic events keeps a record.'),
  CALLS_RETENTION_HOURS: hours(720).describe('How long the topics identifies and groups keep a record.'),
  REPLAYS_RETENTION_HOURS: hours(72).describe('How long the topic replays keeps a record.'),
});
export type IngestionConfig = z.output<typeof ingestionSettings>;
