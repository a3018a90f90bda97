/** The log is away or did not answer in time. What was being published may still be stored later. */
export class EventLogUnavailable extends Error {
  override name = 'EventLogUnavailable';
}

/** More bytes are on their way to the log than allowed. Nothing was published; try again shortly. */
export class EventLogBusy extends Error {
  override name = 'EventLogBusy';
}

/** A record is larger than the log takes. Nothing was published. */
export class RecordTooLarge extends Error {
  override name = 'RecordTooLarge';
}

/** A commit came too late: another consumer of the group has the partition, or it was started again. */
export class PartitionLost extends Error {
  override name = 'PartitionLost';
}

/** A topic exists with other settings than asked for. */
export class TopicMismatch extends Error {
  override name = 'TopicMismatch';
}

/** The topic was never created. */
export class UnknownTopic extends Error {
  override name = 'UnknownTopic';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
