import type { Project } from '@switchboard/contracts';
import { type DirectoryRecord, directoryRecord } from '@switchboard/directory';
import type { ProjectRow } from './store.ts';

/** A project as the API has it. */
export function projectOf({ allowedOrigins, ...row }: ProjectRow): Project {
  return { ...row, ...(allowedOrigins && { allowedOrigins }) };
}

/** Its record on the topic `directory`, with what an operator allows it. */
export function projectRecord(row: ProjectRow, eventsPerSecond?: number): DirectoryRecord {
  return directoryRecord('project', {
    ...projectOf(row),
    ...(eventsPerSecond !== undefined && { eventsPerSecond }),
  });
}
