/** How a topic is made. `<name>.dead-letter` is made with it, with as many partitions. */
export interface TopicSpec {
  name: string;
  partitions: number;
  /** Copies of each partition. PostgreSQL ignores it: its own replication keeps the copies. */
  replication: number;
  /** `delete` drops records older than `retentionMs`; `compact` keeps the newest record of every key. */
  cleanup: 'delete' | 'compact';
  retentionMs?: number;
  /** How long a tombstone of a compacted topic outlives what it deleted, at least. Default one day. */
  tombstoneRetentionMs?: number;
  /** Largest record batch a Kafka broker takes. Default 8 MiB: a send of this package stays below it. */
  maxMessageBytes?: number;
  /** Replicas that must have a record before it is acknowledged (Kafka only). */
  minInSyncReplicas?: number;
  /** `false`: no dead-letter topic. */
  deadLetter?: boolean;
}

/** A record to publish. A `null` value is a tombstone: on a compacted topic it deletes the key. */
export interface OutgoingRecord {
  partition: number;
  key: string | null;
  value: Buffer | null;
  headers: Record<string, string>;
}

/** A record as it is stored. */
export interface StoredRecord extends OutgoingRecord {
  topic: string;
  offset: bigint;
  /** Milliseconds since 1970, when the record was published. */
  timestamp: number;
}

/** Consecutive records of one partition, in order. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly StoredRecord[];
  /** The offset to continue from once these records are done. */
  readonly nextOffset: bigint;
  /** Aborted when this consumer stops or no longer owns the partition: what is done then is done again elsewhere. */
  readonly signal: AbortSignal;
  /** Stores a record that cannot be read on `<topic>.dead-letter`, with the reason in its headers. */
  deadLetter(record: StoredRecord, reason: string): Promise<void>;
  /**
   * With `commit: 'manual'`: everything below `offset` (default `nextOffset`) is done. May be called long
   * after `handle` has returned. Throws `PartitionLost` when another consumer has the partition by now.
   */
  commit(offset?: bigint): Promise<void>;
}

export interface ConsumeOptions {
  group: string;
  topics: string[];
  /**
   * Called for one batch of a partition at a time, for different partitions at once. When it throws, the
   * same records are handed over again after a back-off; later ones of that partition wait.
   */
  handle(batch: RecordBatch): Promise<void>;
  /** Default `after-batch`: the offset is committed when `handle` has resolved. */
  commit?: 'after-batch' | 'manual';
  /**
   * The partition is about to go to another consumer, or to start again from its last commit. A consumer
   * that commits manually drops what it holds of it.
   */
  onRevoked?(topic: string, partition: number): void;
  /** A consumer that is not heard of for so long loses its partitions. Default 10,000 (Kafka brokers allow 6,000 and more). */
  leaseMs?: number;
  /** Bytes of one partition read ahead. Default 1 MiB. One larger record is still handed over. */
  maxBatchBytes?: number;
  /** Bounds of the back-off after a failed `handle`. Defaults 100 and 10,000. */
  retryMinMs?: number;
  retryMaxMs?: number;
}

/** Where published records are stored. */
export interface Published {
  /**
   * The offset, in its partition, of the record at this index of those published; undefined where the log did
   * not say.
   */
  offsetOf(index: number): bigint | undefined;
}

/** How far a group is on one partition. */
export interface PartitionLag {
  topic: string;
  partition: number;
  /** The offset the group goes on from; the earliest one stored when it never committed. */
  committed: bigint;
  /** The offset the next published record will get. */
  end: bigint;
  behind: bigint;
}

export interface Consumption {
  /** Lets running handlers finish, commits what they did, and hands the partitions over. */
  stop(): Promise<void>;
  lag(): Promise<PartitionLag[]>;
}

/** An append-only log of topics with partitions and consumer groups. */
export interface EventLog {
  /** Makes the topics that are missing. Throws `TopicMismatch` when one exists with other partitions or cleanup. */
  createTopics(specs: TopicSpec[]): Promise<void>;
  /**
   * Resolves when every record is stored, with where. Records of one partition keep their order.
   * @throws EventLogUnavailable when the log did not answer in time; the records may still be stored later.
   * @throws EventLogBusy when more bytes are on their way than allowed; nothing was published.
   * @throws RecordTooLarge nothing was published.
   */
  publish(topic: string, records: OutgoingRecord[]): Promise<Published>;
  /** Starts reading, a new group from the earliest offset. Returns at once; joins as soon as the log is there. */
  consume(options: ConsumeOptions): Promise<Consumption>;
  /** For each partition, the offset the next record will get. */
  endOffsets(topic: string): Promise<bigint[]>;
  /** For each partition, the offset the group goes on from. */
  committedOffsets(group: string, topic: string): Promise<bigint[]>;
  lag(group: string, topics: string[]): Promise<PartitionLag[]>;
  /** Bytes handed to `publish` that are not acknowledged yet. */
  bytesInFlight(): number;
  /** Throws EventLogUnavailable when the log does not answer. */
  ping(): Promise<void>;
  /** Stops the consumers, waits until everything accepted is stored or given up, and closes the connections. */
  close(): Promise<void>;
}

/** A change of state worth a line in a log; never one a retry. */
export interface LogEntry {
  level: 'info' | 'warn' | 'error';
  message: string;
  error?: unknown;
  /** The records that it is about. */
  records?: readonly OutgoingRecord[];
}

/** What both adapters take. */
export interface CommonOptions {
  /** Upper bound from `publish` to its answer, and of every other call. Default 5,000. */
  publishTimeoutMs?: number;
  /** Default 64 MiB. */
  maxBytesInFlight?: number;
  /** Quiet without it. */
  onLog?(entry: LogEntry): void;
}
