import { type EventLog, readTopic, type StoredRecord } from '@switchboard/event-log';
import { createLogger, createMetrics, eventLogSettings, openWholeLog } from '@switchboard/runtime';
import { z } from 'zod';

/** The settings that select the event log. */
type LogSettings = { KAFKA_BROKERS: string } | { EVENT_LOG_DATABASE_URL: string };

const MAX_BYTES_IN_FLIGHT = 134_217_728;

/** Opens a log as a service does. It is observed, so every attempt to handle a batch gets a new object. */
export function openLog(settings: LogSettings): EventLog {
  const config = { ...z.object(eventLogSettings).parse(settings), MAX_BYTES_IN_FLIGHT };
  const logger = createLogger({ service: 'archive', level: 'silent' });
  return openWholeLog({ config, logger, metrics: createMetrics('archive') }, 'test');
}

/** Returns all records of a topic from some offsets to its current end. */
export async function recordsOn(log: EventLog, topic: string, from?: bigint[]): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  await readTopic(log, topic, { ...(from && { from }), onRecord: (record) => records.push(record) });
  return records;
}
