import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { z } from 'zod';
import type { Happening, Intake } from './intake.ts';

interface RecordsOptions {
  log: EventLog;
  intake: Pick<Intake, 'accept'>;
  logger: Logger;
}

/** A topic of which each record is an occurrence. The service that publishes it creates it. */
interface Source<T> {
  group: string;
  topic: string;
  schema: z.ZodType<T>;
  /** Why a record is a dead letter. */
  invalid: string;
  happeningOf(record: T): Happening;
}

/** Queues messages for the records of a topic. */
export function createRecordsConsumer<T>(
  { log, intake, logger }: RecordsOptions,
  { group, topic, schema, invalid, happeningOf }: Source<T>,
): BackgroundConsumer {
  const topics = [topic];

  async function consume() {
    await log.endOffsets(topic);
    return log.consume({ group, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const happenings: Happening[] = [];
    for (const record of batch.records) {
      const parsed = parse(record);
      if (parsed === undefined) await batch.deadLetter(record, invalid);
      else happenings.push(happeningOf(parsed));
    }
    if (happenings.length > 0) await intake.accept(happenings);
  }

  function parse({ value }: StoredRecord): T | undefined {
    try {
      return schema.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
    } catch {
      return undefined;
    }
  }

  return createConsumer({ consume, topics, logger });
}
