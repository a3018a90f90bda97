import {
  type BackgroundConsumer,
  createParsedConsumer,
  type EventLog,
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

/** A topic of which each record is one or more occurrences. The service that publishes it creates it. */
interface Source<T> {
  group: string;
  topic: string;
  schema: z.ZodType<T>;
  /** Why a record is a dead letter. */
  invalid: string;
  happeningsOf(record: T): Happening[];
  /** Called with each record before its messages are queued. */
  onRecord?(record: T): Promise<void>;
}

/** Queues messages for the records of a topic. */
export function createRecordsConsumer<T>(
  { intake, ...options }: RecordsOptions,
  { schema, happeningsOf, onRecord, ...source }: Source<T>,
): BackgroundConsumer {
  function parse({ value }: StoredRecord): T | undefined {
    try {
      return schema.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
    } catch {
      return undefined;
    }
  }

  return createParsedConsumer<T>({
    ...options,
    ...source,
    parse,
    async apply(records) {
      if (onRecord !== undefined) for (const record of records) await onRecord(record);
      await intake.accept(records.flatMap(happeningsOf));
    },
  });
}
