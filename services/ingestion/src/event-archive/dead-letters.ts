import type { Database } from '@switchboard/database';
import type { RecordBatch } from '@switchboard/event-log';
import { sql } from 'drizzle-orm';
import { eventKey } from './archived-event.ts';
import type { Unreadable } from './reading.ts';
import { deadLetters } from './schema.ts';

/** Puts what cannot be read on the dead-letter topic, and remembers why. */
export function createDeadLetters({ drizzle }: Pick<Database, 'drizzle'>) {
  async function isKnown({ record, line }: Unreadable): Promise<boolean> {
    const rows = await drizzle.execute(sql`
      select 1 from ${deadLetters}
      where log_partition = ${record.partition} and log_offset = ${String(record.offset)} and log_line = ${line}
        and recorded_at = ${record.timestamp}`);
    return rows.length > 0;
  }

  return {
    /** Returns how many are new: a redelivery's are there already. */
    async put(batch: Pick<RecordBatch, 'deadLetter'>, found: readonly Unreadable[]): Promise<number> {
      let count = 0;
      for (const unreadable of found) {
        if (await isKnown(unreadable)) continue;
        const { record, line, value, reason, projectId, eventId } = unreadable;
        const headers = { ...record.headers, 'dead-letter-line': String(line) };
        // Published before it is remembered: a crash between the two leaves it there twice rather than never.
        await batch.deadLetter({ ...record, value, headers }, reason);
        const key = projectId && eventId ? eventKey(projectId, eventId) : null;
        await drizzle.execute(sql`
          insert into ${deadLetters} (log_partition, log_offset, log_line, recorded_at, event_key, reason)
          values (${record.partition}, ${String(record.offset)}, ${line}, ${record.timestamp}, ${key}, ${reason})
          on conflict do nothing`);
        count++;
      }
      return count;
    },
  };
}
