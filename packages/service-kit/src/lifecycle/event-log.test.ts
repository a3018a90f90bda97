import { eventually, testDatabase } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, parseConfig } from '../settings/config.ts';
import { eventLogSettings } from '../settings/event-log.ts';
import { integerSetting } from '../settings/fields.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { openEventLog } from './event-log.ts';

const settings = z.object({
  ...eventLogSettings,
  MAX_BYTES_IN_FLIGHT: integerSetting({ min: 1, max: 1e9, fallback: 1_000_000 }),
});
const contextOf = (env: Record<string, string>) => ({
  config: parseConfig(settings, env),
  logger: createLogger({ service: 'test', level: 'silent' }),
  metrics: createMetrics('test'),
});

it('measures the lag of each consumer group', async () => {
  const database = await testDatabase();
  const context = contextOf({ EVENT_LOG_DATABASE_URL: database.url });
  const log = openEventLog(context, 'test');
  const lag = async () =>
    /switchboard_event_log_lag\{group="g",topic="t",partition="0"[^}]*\} (\d+)/.exec(
      await context.metrics.registry.metrics(),
    )?.[1];
  try {
    await log.createTopics([{ name: 't', partitions: 1, replication: 1, cleanup: 'delete' }]);
    let blocked = true;
    const handle = async () => {
      if (blocked) throw new Error('not yet');
    };
    const consumption = await log.consume({ group: 'g', topics: ['t'], handle });
    const record = { partition: 0, key: null, value: Buffer.from('x'), headers: {} };
    await log.publish('t', [record, record, record]);
    await eventually(async () => expect(await lag()).toBe('3'));
    blocked = false;
    await eventually(async () => expect(await lag()).toBe('0'));
    await consumption.stop();
    expect(await lag()).toBeUndefined();
  } finally {
    await log.close();
    await database.drop();
  }
});

it('refuses settings without an event log, naming what to set', () => {
  expect(() => openEventLog(contextOf({}), 'test')).toThrow(ConfigError);
  expect(() => openEventLog(contextOf({}), 'test')).toThrow(/KAFKA_BROKERS.*EVENT_LOG_DATABASE_URL/);
});

it('refuses a broker user without a password, without showing values', () => {
  const context = contextOf({ KAFKA_BROKERS: 'kafka:9092', KAFKA_USERNAME: 'ingestion' });
  expect(() => openEventLog(context, 'test')).toThrow(
    new ConfigError('Set both KAFKA_USERNAME and KAFKA_PASSWORD, or neither.'),
  );
});
