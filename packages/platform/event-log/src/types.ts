import type { ByteBudget } from '@switchboard/fairness';

/** The settings of a topic. `<name>.dead-letter` is created with it, with the same number of partitions. */
export interface TopicSpec {
  name: string;
  partitions: number;
  /**
   * The number of replicas of each partition. With three or more, two must store a record before it is acknowledged.
   * Ignored on PostgreSQL, which has its own replication.
   */
  replication: number;
  /** `delete` drops records older than `retentionMs`; `compact` keeps the newest record of every key. */
  cleanup: 'delete' | 'compact';
  retentionMs?: number;
  /** The minimum retention of a tombstone in a compacted topic. Default: one day. */
  tombstoneRetentionMs?: number;
  /** The maximum size of a record batch on the Kafka broker. Default: 8 MiB, more than this package sends at once. */
  maxMessageBytes?: number;
  /** Whether an existing topic may have another number of partitions, because it can be repartitioned. */
  anyPartitions?: boolean;
  /** Whether to create a dead-letter topic. Default: true. */
  deadLetter?: boolean;
}

/** A record to publish. A `null` value is a tombstone: on a compacted topic it deletes the key. */
export interface OutgoingRecord {
  partition: number;
  key: string | null;
  value: Buffer | null;
  headers: Record<string, string>;
}

/** A stored record. */
export interface StoredRecord extends OutgoingRecord {
  topic: string;
  offset: bigint;
  /** The time of publication in milliseconds since 1970. */
  timestamp: number;
}

/** Consecutive records of one partition, in order. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly StoredRecord[];
  /** The offset to continue from after these records. */
  readonly nextOffset: bigint;
  /** Aborted when this consumer stops or loses the partition. Another consumer repeats work done after that. */
  readonly signal: AbortSignal;
  /** Publishes an invalid record to `<topic>.dead-letter` with the reason in its headers. */
  deadLetter(record: StoredRecord, reason: string): Promise<void>;
  /**
   * With `commit: 'manual'`: commits everything below `offset` (default `nextOffset`). May be called long after
   * `handle` has returned. Throws `PartitionLost` if the partition was reassigned.
   */
  commit(offset?: bigint): Promise<void>;
}

export interface ConsumeOptions {
  group: string;
  topics: string[];
  /**
   * Called for one batch of a partition at a time, and concurrently for different partitions. If it throws, it is
   * called again with the same records after a back-off. Later records of the partition wait.
   */
  handle(batch: RecordBatch): Promise<void>;
  /**
   * For a handler that stores its own position and can share records with other readers. On Kafka, each consumer then
   * reads every partition from these offsets (default: the earliest stored), commits nothing, and causes no waiting
   * in its group. On PostgreSQL, where a new member does not block others, members share the partitions.
   */
  from?(): Promise<ReadonlyMap<number, bigint>>;
  /** Default: `after-batch`, which commits the offset after `handle` resolves. */
  commit?: 'after-batch' | 'manual';
  /**
   * Called when the partition is reassigned or restarted, from its last commit or, if offsets went back, from the
   * earliest stored record. A consumer that commits manually must drop its uncommitted work. The partition is read
   * again only after a running handler has finished.
   */
  onRevoked?(topic: string, partition: number): void;
  /**
   * A consumer that sends no heartbeat for this long loses its partitions. Default: 10,000. Kafka requires 6,000 or
   * more.
   */
  leaseMs?: number;
  /**
   * Bytes to read ahead per partition. Default: 1 MiB. A larger record is still delivered alone. On Kafka, these are
   * compressed bytes. `handle` receives about as many bytes after decoding, plus at most one send (4 MiB).
   */
  maxBatchBytes?: number;
  /**
   * On Kafka, a fetch waits half a second for this many bytes. Useful if each call of the handler is expensive.
   * Default: 1.
   */
  minFetchBytes?: number;
  /** Bounds of the back-off after a failed `handle`. Default: 100 and 10,000. */
  retryMinMs?: number;
  retryMaxMs?: number;
}

export interface FollowOptions {
  /** On Kafka, each follower has its own group, with this prefix, which commits nothing. Other logs need no group. */
  group: string;
  topic: string;
  /** Returns the offset to start from, at most `end`. Default: `end`, the offset of the next record. */
  from?(partition: number, end: bigint): bigint;
  /** Called with consecutive records of one partition. May repeat records after an error of the log. */
  onRecords(records: readonly StoredRecord[]): void;
}

/** The offsets of published records. */
export interface Published {
  /** Returns the offset, in its partition, of the published record at this index. */
  offsetOf(index: number): bigint;
}

/** The lag of a group on one partition. */
export interface PartitionLag {
  topic: string;
  partition: number;
  /** The offset from which the group continues, or the earliest stored offset if it never committed. */
  committed: bigint;
  /** The offset of the next published record. */
  end: bigint;
  behind: bigint;
}

export interface Consumption {
  /** Waits for running handlers, commits their work and releases the partitions. */
  stop(): Promise<void>;
  lag(): Promise<PartitionLag[]>;
}

/** An append-only log of topics with partitions and consumer groups. */
export interface EventLog {
  /** Creates missing topics. Throws `TopicMismatch` if a topic has different settings that cannot be changed. */
  createTopics(specs: TopicSpec[]): Promise<void>;
  /**
   * Publishes records and resolves with their offsets when all are stored. Records of one partition and
   * fairness key keep their order. While several keys (such as projects) wait, each has records in the next send.
   * @throws EventLogUnavailable if the log did not respond in time, or while the topic is repartitioned; the records
   * may still be stored later.
   * @throws EventLogBusy if too many bytes are in flight; nothing was published.
   * @throws RecordTooLarge if a record exceeds the maximum size; nothing was published.
   */
  publish(topic: string, records: OutgoingRecord[], fairnessKey?: string): Promise<Published>;
  /**
   * Returns the number of partitions to spread keys over with `partitionFor`, synchronously if known. Call it for
   * every publish. Throws EventLogUnavailable while the topic is repartitioned.
   */
  partitions(topic: string): number | Promise<number>;
  /** Starts a consumer, which joins when the log is available. A new group starts at the earliest offset. */
  consume(options: ConsumeOptions): Promise<Consumption>;
  /**
   * Passes on the records of all partitions that are published from now on, or from the offsets of `from`. For a
   * reader that keeps no position. Throws UnknownTopic and EventLogUnavailable.
   */
  follow(options: FollowOptions): Promise<Pick<Consumption, 'stop'>>;
  /** Returns the offset of the next record, per partition. Throws UnknownTopic. */
  endOffsets(topic: string): Promise<bigint[]>;
  /** Returns the offset from which the group continues, per partition. */
  committedOffsets(group: string, topic: string): Promise<bigint[]>;
  lag(group: string, topics: string[]): Promise<PartitionLag[]>;
  /** Returns the current number of members of each of these groups. Omits groups that the log does not know. */
  members(groups: string[]): Promise<Map<string, number>>;
  /** Returns the number of published bytes that are not acknowledged yet. */
  bytesInFlight(): number;
  /** Throws EventLogUnavailable if the log does not respond. */
  ping(): Promise<void>;
  /** Stops the consumers, waits until accepted records are stored or rejected, and closes the connections. */
  close(): Promise<void>;
}

/** A state change to log. Individual retries are not logged, except those of a task. */
export interface LogEntry {
  /** The name of repeated background work. Each of its failures is logged. */
  task?: string;
  level: 'info' | 'warn' | 'error';
  message: string;
  error?: unknown;
  /** The affected records. */
  records?: readonly OutgoingRecord[];
}

/** Options of both adapters. */
export interface CommonOptions {
  /** The time-out of `publish` and of every other call. Default: 5,000. */
  publishTimeoutMs?: number;
  /** The limit on accepted bytes that are not acknowledged yet. Default: a separate budget of 64 MiB. */
  budget?: ByteBudget;
  /** Called with each log entry. Default: logs nothing. */
  onLog?(entry: LogEntry): void;
}
