import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventLog, openPostgresLog } from '@switchboard/event-log';

/** Opens the event log of a standalone that runs in the folder. */
export async function openEventLog(home: string): Promise<EventLog> {
  const password = (await readFile(join(home, 'postgres/password'), 'utf8')).trim();
  const port = (await readFile(join(home, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[3];
  return openPostgresLog({ url: `postgres://switchboard:${password}@127.0.0.1:${port}/event_log` });
}
