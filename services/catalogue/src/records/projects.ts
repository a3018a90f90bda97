import type { Project } from '@switchboard/contracts';
import { type DirectoryRecord, directoryRecord } from '@switchboard/directory';

/** A stored project. */
interface ProjectRow extends Omit<Project, 'allowedOrigins'> {
  /** Null: any origin. */
  allowedOrigins: string[] | null;
}

/** Returns a project in the form of the API. */
export function projectOf({ allowedOrigins, ...row }: ProjectRow): Project {
  return { ...row, ...(allowedOrigins && { allowedOrigins }) };
}

/** Returns the project's record on the topic `directory`, with its throttle. */
export function projectRecord(row: ProjectRow, eventsPerSecond?: number): DirectoryRecord {
  return directoryRecord('project', {
    ...projectOf(row),
    ...(eventsPerSecond !== undefined && { eventsPerSecond }),
  });
}
