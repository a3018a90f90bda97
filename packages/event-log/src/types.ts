import type { ByteBudget } from '@switchboard/resilience';

/** Settings of a topic. `<name>.dead-letter` is created with it, with the same number of partitions. */
export interface TopicSpec {
  name: string;
  partitions: number;
  /**
   * Replicas of each partition; of three or more, two must store a record before it is acknowledged. Ignored on
   * PostgreSQL, which has its own replication.
   */
  replication: number;
  /** `delete` drops records older than `retentionMs`; `compact` keeps the newest record of every key. */
  cleanup: 'delete' | 'compact';
  retentionMs?: number;
  /** Minimum time for which a tombstone of a compacted topic is kept. Default: one day. */
  tombstoneRetentionMs?: number;
  /** Maximum record batch of the Kafka broker. Default: 8 MiB, more than this package sends at once. */
  maxMessageBytes?: number;
  /** Publishers ask for its `placement`, so a topic that exists may have another number of partitions. */
  isPlaced?: boolean;
  /** `false` creates no dead-letter topic. */
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
  /** Time of publication in milliseconds since 1970. */
  timestamp: number;
}

/** Consecutive records of one partition, in order. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly StoredRecord[];
  /** The offset to continue from after these records. */
  readonly nextOffset: bigint;
  /** Aborted when this consumer stops or loses the partition. Later work is repeated by another consumer. */
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
   * Called for one batch of a partition at a time, and for different partitions concurrently. If it throws, it is
   * called again with the same records after a back-off; later records of the partition wait.
   */
  handle(batch: RecordBatch): Promise<void>;
  /**
   * For a handler that stores how far it is, and takes no harm from others that read the same. On Kafka, each consumer
   * then reads every partition from these offsets (default: the earliest stored), commits nothing, and neither waits for
   * others of its group nor makes them wait. On PostgreSQL, where a new member holds up nobody, members share partitions.
   */
  from?(): Promise<ReadonlyMap<number, bigint>>;
  /** Default: `after-batch`, which commits the offset when `handle` resolves. */
  commit?: 'after-batch' | 'manual';
  /**
   * The partition is being reassigned, or restarted from its last commit or, if offsets went back, from the earliest
   * stored record. A consumer that commits manually drops its uncommitted work. A handler that still runs is waited
   * for before the partition is read again.
   */
  onRevoked?(topic: string, partition: number): void;
  /** A consumer that sends no heartbeat for this long loses its partitions. Default: 10,000. Kafka requires 6,000 or more. */
  leaseMs?: number;
  /**
   * Bytes read ahead per partition. Default: 1 MiB. A larger record is still delivered alone. On Kafka they are
   * compressed, and `handle` is called with about as many bytes after decoding, at most one send (4 MiB) more.
   */
  maxBatchBytes?: number;
  /** On Kafka, a fetch waits half a second for so many bytes, for a handler that costs much a call. Default: 1. */
  minFetchBytes?: number;
  /** Bounds of the back-off after a failed `handle`. Default: 100 and 10,000. */
  retryMinMs?: number;
  retryMaxMs?: number;
}

/** The partitions among which keys are spread: `first + partitionFor(key, count)`. */
export interface Placement {
  first: number;
  count: number;
}

/** The offsets of published records. */
export interface Published {
  /** The offset, in its partition, of the published record at this index. */
  offsetOf(index: number): bigint;
}

/** The lag of a group on one partition. */
export interface PartitionLag {
  topic: string;
  partition: number;
  /** The offset the group continues from. The earliest stored offset if it never committed. */
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
  /** Creates missing topics. Throws `TopicMismatch` if a topic exists with settings that nothing can change. */
  createTopics(specs: TopicSpec[]): Promise<void>;
  /**
   * Resolves with the offsets when every record is stored. Those of one partition and holder keep their order; while
   * several holders (such as projects) wait, each has records in the next send.
   * @throws TopicMoved if the topic was repartitioned; some of the records may be stored.
   * @throws EventLogUnavailable if the log did not respond in time; the records may still be stored later.
   * @throws EventLogBusy if too many bytes are in flight; nothing was published.
   * @throws RecordTooLarge if a record exceeds the maximum size; nothing was published.
   */
  publish(topic: string, records: OutgoingRecord[], holder?: string): Promise<Published>;
  /** Where records with keys go now; at once if it is known. Remembered until `publish` throws TopicMoved. */
  placement(topic: string): Placement | Promise<Placement>;
  /** Starts a consumer. A new group starts at the earliest offset. Returns at once and joins when the log is available. */
  consume(options: ConsumeOptions): Promise<Consumption>;
  /** The offset of the next record, per partition. Throws UnknownTopic. */
  endOffsets(topic: string): Promise<bigint[]>;
  /** The offset the group continues from, per partition. */
  committedOffsets(group: string, topic: string): Promise<bigint[]>;
  lag(group: string, topics: string[]): Promise<PartitionLag[]>;
  /** How many members each of these groups has now. Groups that the log does not know are left out. */
  members(groups: string[]): Promise<Map<string, number>>;
  /** Published bytes that are not acknowledged yet. */
  bytesInFlight(): number;
  /** Throws EventLogUnavailable if the log does not respond. */
  ping(): Promise<void>;
  /** Stops the consumers, waits until accepted records are stored or rejected, and closes the connections. */
  close(): Promise<void>;
}

/** A change of state to log. Retries are not logged one by one, except those of a task. */
export interface LogEntry {
  /** Names work that repeats without a caller; each of its failures has an entry. */
  task?: string;
  level: 'info' | 'warn' | 'error';
  message: string;
  error?: unknown;
  /** The affected records. */
  records?: readonly OutgoingRecord[];
}

/** Options of both adapters. */
export interface CommonOptions {
  /** Time-out of `publish` and of every other call. Default: 5,000. */
  publishTimeoutMs?: number;
  /** Limits the bytes accepted and not yet acknowledged. Default: a budget of its own of 64 MiB. */
  budget?: ByteBudget;
  /** Default: logs nothing. */
  onLog?(entry: LogEntry): void;
}
