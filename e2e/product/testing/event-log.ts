import { type EventLog, openPostgresLog } from '@switchboard/event-log';
import { databaseUrl } from './launch.ts';

/** Opens the event log of a standalone that runs in the folder. */
export async function openEventLog(home: string): Promise<EventLog> {
  return openPostgresLog({ url: await databaseUrl(home, 'event_log') });
}
