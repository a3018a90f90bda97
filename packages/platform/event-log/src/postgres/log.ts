import { type Database, isUnavailable } from '@switchboard/database';
import { createByteBudget } from '@switchboard/fairness';
import { EventLogUnavailable, TopicPaused } from '../errors.ts';
import { createPublisher } from '../publisher.ts';
import type { CommonOptions, EventLog } from '../types.ts';
import { compactAll } from './compaction.ts';
import { createConnections } from './connections.ts';
import { startConsumer } from './consumer.ts';
import { createFeed } from './feed.ts';
import { startFollower } from './follow.ts';
import { createRenewals } from './members.ts';
import { readEnds, readLag, readMembers, readPartitions } from './offsets.ts';
import { openPublishConnection } from './publisher.ts';
import { createSender } from './sender.ts';
import { createPostgresTopics } from './topics.ts';

export interface PostgresLogOptions extends CommonOptions {
  /** The URL of a database, which may be shared: the log uses only its schema `event_log`. */
  url: string;
  /** Interval of compaction and retention in milliseconds. Default: one minute. */
  compactionIntervalMs?: number;
}

const SETUP_TIMEOUT_MS = 30_000;

/** Opens the event log in PostgreSQL tables, which are created on first use. Processes can share them. */
export function openPostgresLog(options: PostgresLogOptions): EventLog {
  const { url, onLog } = options;
  const timeoutMs = options.publishTimeoutMs ?? 5_000;
  const connections = createConnections(url, timeoutMs);
  const feed = createFeed(connections.background);
  const renew = createRenewals(connections.background);
  const publisher = createPublisher({
    transport: createSender({
      name: 'PostgreSQL',
      open: () => openPublishConnection({ url, timeoutMs, ready: connections.ready }),
      isRetryable: (error) => error instanceof EventLogUnavailable || isUnavailable(error),
      onLog,
    }),
    timeoutMs,
    budget: options.budget ?? createByteBudget(64 * 1024 * 1024),
    async lookUp(topic) {
      const find = (database: Database) => readPartitions(database, topic);
      const { partitions, next } = await connections.use('looking up a topic', find);
      if (next !== null) throw new TopicPaused(topic, next);
      return partitions;
    },
  });
  const consumptions = new Set<{ stop(): Promise<void> }>();
  let compacting: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    compacting = compacting
      .then(connections.ready)
      .then(() => compactAll(connections.background()))
      .catch((error: unknown) => {
        const message = 'compaction and retention of the event log failed, retrying';
        onLog?.({ level: 'error', task: 'compact the event log', message, error });
      });
  }, options.compactionIntervalMs ?? 60_000);
  timer.unref();

  const lag: EventLog['lag'] = (group, topics) =>
    connections.use('reading offsets', (database) => readLag(database, group, topics));

  return {
    createTopics: (specs) =>
      connections.use(
        'creating topics',
        (database) => createPostgresTopics(database, specs, onLog),
        SETUP_TIMEOUT_MS,
      ),
    publish: publisher.publish,
    partitions: publisher.partitions,
    async consume(consume) {
      const consumption = startConsumer({
        ready: connections.ready,
        database: connections.background,
        renew,
        feed,
        consume,
        onLog,
        publishDeadLetter: publisher.publishDeadLetter,
      });
      consumptions.add(consumption);
      return {
        async stop() {
          consumptions.delete(consumption);
          await consumption.stop();
        },
        lag: () => lag(consume.group, consume.topics),
      };
    },
    async follow({ topic, from = (_, end) => end, onRecords }) {
      const ends = await connections.use('reading offsets', (database) => readEnds(database, topic));
      const starts = ends.map((end, partition) => from(partition, end));
      const follower = startFollower({ topic, starts, onRecords, database: connections.background, onLog });
      consumptions.add(follower);
      return {
        async stop() {
          consumptions.delete(follower);
          await follower.stop();
        },
      };
    },
    endOffsets: (topic) => connections.use('reading offsets', (database) => readEnds(database, topic)),
    committedOffsets: async (group, topic) => (await lag(group, [topic])).map((one) => one.committed),
    lag,
    members: (groups) => connections.use('reading groups', (database) => readMembers(database, groups)),
    bytesInFlight: publisher.bytesInFlight,
    ping: () => connections.use('pinging', (database) => database.ping()),
    async close() {
      clearInterval(timer);
      await Promise.all([...consumptions].map((consumption) => consumption.stop()));
      await publisher.close();
      await compacting;
      await feed.close();
      await connections.close();
    },
  };
}
