import type { Database } from '@switchboard/database';
import type { ObjectStore } from '@switchboard/object-store';
import { sql } from 'drizzle-orm';
import type { NewFile } from '../rows/contents.ts';
import { type Coverage, collectContents } from '../rows/contents.ts';
import { encodeEvents } from '../rows/encode.ts';
import { openFile } from '../rows/read.ts';
import { type ArchivedEvent, compareRows } from '../rows/row.ts';
import { insertFiles } from '../schema/insert-files.ts';
import { withStrings } from './archived-event.ts';

/** For tests: files of the archive that no consumer wrote. */

interface StoreFileOptions {
  database: Database;
  objects: ObjectStore;
  key: string;
  day: string;
  events: ArchivedEvent[];
  coverage: Coverage;
}

/** Stores a file as if it had been archived. */
export async function storeFile(options: StoreFileOptions): Promise<NewFile> {
  const { database, objects, key, day, events, coverage } = options;
  const contents = collectContents();
  for (const event of events) contents.add(event);
  const bytes = encodeEvents(events.toSorted(compareRows));
  await objects.put(key, bytes);
  const file = { ...coverage, ...contents.get(), key, day, bytes: bytes.length };
  await database.drizzle.execute(insertFiles([file], sql`true`));
  return file;
}

/** Returns the rows of all readable files, and of those missing from the table of files. */
export async function rowsIn({ database, objects }: { database: Database; objects: ObjectStore }) {
  const unread = await database.drizzle.execute<{ key: string }>(
    sql`select key from event_files where replaced_at is not null or deleted_at is not null`,
  );
  const hidden = new Set(unread.map(({ key }) => key));
  const found: ArchivedEvent[] = [];
  for await (const { key, size } of objects.list('events/')) {
    const file = hidden.has(key) ? undefined : await openFile(objects, { key, bytes: size });
    if (file !== undefined) for await (const group of file.groups()) found.push(...group.map(withStrings));
  }
  return found;
}
