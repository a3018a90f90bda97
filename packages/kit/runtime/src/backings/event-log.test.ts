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
  const log = openEventLog(context, 'directory-link');
  const lag = async () =>
    /switchboard_event_log_lag\{group="directory.link.1",topic="directory",partition="0"[^}]*\} (\d+)/.exec(
      await context.metrics.registry.metrics(),
    )?.[1];
  try {
    await log.createTopics([{ name: 'directory', partitions: 1, replication: 1, cleanup: 'delete' }]);
    let blocked = true;
    const handle = async () => {
      if (blocked) throw new Error('not yet');
    };
    const consumption = await log.consume({ group: 'directory.link.1', topics: ['directory'], handle });
    const record = { partition: 0, key: null, value: Buffer.from('x'), headers: {} };
    await log.publish('directory', [record, record, record]);
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

it('reports the lag and the members of a group of another program, which may be stopped', async () => {
  const database = await testDatabase();
  const url = { EVENT_LOG_DATABASE_URL: database.url };
  const context = contextOf(url);
  const watching = openEventLog(context, 'catalogue');
  const [ingestion, flags] = [
    openEventLog(contextOf(url), 'ingestion'),
    openEventLog(contextOf(url), 'flags'),
  ];
  const labelled = (name: string, labels: string) =>
    new RegExp(`^${name}\\{group="flags.user-state"${labels},service="test"\\} (\\d+)$`, 'm');
  const reported = async () => {
    const text = await context.metrics.registry.metrics();
    const members = labelled('switchboard_event_log_group_members', '').exec(text)?.[1];
    const lag = labelled('switchboard_event_log_lag', ',topic="identifies",partition="0"').exec(text)?.[1];
    return { members, lag };
  };
  const group = 'flags.user-state';
  const record = { partition: 0, key: null, value: Buffer.from('x'), headers: {} };
  try {
    const topics = ['identifies', 'groups'];
    const spec = { partitions: 1, replication: 1, cleanup: 'delete' as const };
    await ingestion.createTopics(topics.map((name) => ({ name, ...spec })));
    await ingestion.publish('identifies', [record]);
    expect(await reported()).toEqual({ members: undefined, lag: undefined });
    const consumption = await flags.consume({ group, topics, handle: async () => undefined });
    await eventually(async () => expect(await reported()).toEqual({ members: '1', lag: '0' }));
    await consumption.stop();
    await ingestion.publish('identifies', [record, record]);
    expect(await reported()).toEqual({ members: '0', lag: '2' });
  } finally {
    await Promise.all([watching, ingestion, flags].map((log) => log.close()));
    await database.drop();
  }
});

it('refuses settings without an event log, and names what to set', () => {
  expect(() => openEventLog(contextOf({}), 'flags')).toThrow(ConfigError);
  expect(() => openEventLog(contextOf({}), 'flags')).toThrow(/KAFKA_BROKERS.*EVENT_LOG_DATABASE_URL/);
});

it('refuses a broker user without a password, without showing values', () => {
  const context = contextOf({ KAFKA_BROKERS: 'kafka:9092', KAFKA_USERNAME: 'ingestion' });
  expect(() => openEventLog(context, 'flags')).toThrow(
    new ConfigError('Set both KAFKA_USERNAME and KAFKA_PASSWORD, or neither.'),
  );
});

it('refuses calls that the contracts do not allow its user', async () => {
  const env = { EVENT_LOG_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const log = openEventLog(contextOf(env), 'flags');
  const handle = async () => undefined;
  const refused = [
    () => log.publish('directory', []),
    () => log.createTopics([{ name: 'directory', partitions: 1, replication: 1, cleanup: 'compact' }]),
    () => log.consume({ group: 'flags.user-state', topics: ['identifies', 'events'], handle }),
    () => log.consume({ group: 'flags', topics: ['identifies'], handle }),
    () => log.endOffsets('events'),
    () => log.committedOffsets('archive.events', 'events'),
    () => log.lag('flags.user-state', ['events']),
    () => log.members(['archive.events']),
  ];
  for (const call of refused) await expect(call()).rejects.toThrow(/^flags must not /);
  await log.publish('erasure-reports', []);
  await log.close();
});

it.each([
  [{}, 1],
  [{ TOPIC_REPLICATION: '3' }, 0],
  [{ ALLOW_DEVELOPMENT_CREDENTIALS: 'true' }, 0],
])('warns of Kafka with one replica, except in a demo: %j', async (env, expected) => {
  const shape = { ...settings.shape, ALLOW_DEVELOPMENT_CREDENTIALS: z.stringbool().default(false) };
  const config = parseConfig(z.object(shape), { KAFKA_BROKERS: '127.0.0.1:1', ...env });
  const warned: string[] = [];
  const logger = {
    ...createLogger({ service: 'test', level: 'silent' }),
    warn: (_: object, message: string) => warned.push(message),
  };
  await openEventLog({ ...contextOf({}), config, logger: logger as never }, 'flags').close();
  expect(warned.filter((one) => one.startsWith('TOPIC_REPLICATION is 1'))).toHaveLength(expected);
});
