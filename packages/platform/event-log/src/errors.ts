/** The log is unavailable or did not respond in time. The records may still be stored later. */
export class EventLogUnavailable extends Error {
  override name = 'EventLogUnavailable';
}

/** The topic is being repartitioned. Nothing was published; retry in a minute. */
export class TopicPaused extends EventLogUnavailable {
  override name = 'TopicPaused';

  constructor(topic: string, partitions: number) {
    super(
      `publishing to ${topic} is paused until it has ${partitions} partitions. Unless that is in progress, run switchboard topics repartition ${topic} --to ${partitions}`,
    );
  }
}

/** Too many bytes are in flight. Nothing was published; retry shortly. */
export class EventLogBusy extends Error {
  override name = 'EventLogBusy';
}

/** A record exceeds the maximum size. Nothing was published. */
export class RecordTooLarge extends Error {
  override name = 'RecordTooLarge';
}

/** A commit came too late: the partition was reassigned or restarted. */
export class PartitionLost extends Error {
  override name = 'PartitionLost';
}

/** A topic exists with different settings. */
export class TopicMismatch extends Error {
  override name = 'TopicMismatch';
}

/** The topic does not exist. */
export class UnknownTopic extends Error {
  override name = 'UnknownTopic';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
