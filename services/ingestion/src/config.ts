import { commonSettings, eventLogSettings, integerSetting, redisUrl } from '@switchboard/runtime';
import { z } from 'zod';

const hours = (fallback: number) => integerSetting({ min: 1, max: 87_600, fallback });

const bytesPerSecond = (fallback: number) => integerSetting({ min: 1_000, max: 1_000_000_000_000, fallback });

export const ingestionSettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  REDIS_URL: redisUrl
    .optional()
    .describe('Redis in which instances count quotas together; without it each instance counts separately.'),
  BYTES_PER_PROJECT_PER_SECOND: bytesPerSecond(5_000_000).describe(
    'Bytes per project and second, averaged over two seconds; more get 429. Counts bodies as sent and as decompressed, plus 64 per JSON value and 1,000 per request. Replay chunks have a separate quota of the same size. The default allows 5,000 events of 450 bytes in batches.',
  ),
  BYTES_PER_ADDRESS_PER_SECOND: bytesPerSecond(20_000_000).describe(
    'The same per IPv4 address or IPv6 /64 network. Set TRUSTED_PROXY_HOPS behind proxies.',
  ),
  EVENTS_RETENTION_HOURS: hours(168).describe('Retention of the topic events.'),
  CALLS_RETENTION_HOURS: hours(720).describe('Retention of the topics identifies and groups.'),
  REPLAYS_RETENTION_HOURS: hours(72).describe('Retention of the topic replays.'),
});
export type IngestionConfig = z.output<typeof ingestionSettings>;
