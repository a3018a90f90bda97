import type { Project, Wire } from '@switchboard/contracts';
import { type DirectoryRecord, directoryRecord } from '@switchboard/directory';

/** A stored project. */
interface ProjectRow extends Omit<Project, 'allowedOrigins' | 'wires' | 'flagApprovals'> {
  /** Null: any origin. */
  allowedOrigins: string[] | null;
  /** Null: none. */
  wires: Wire[] | null;
  /** Null: not set. */
  flagApprovals: number | null;
}

/** Returns a project in the form of the API. */
export function projectOf({ allowedOrigins, wires, flagApprovals, ...row }: ProjectRow): Project {
  return {
    ...row,
    ...(allowedOrigins && { allowedOrigins }),
    ...(wires && { wires }),
    ...(flagApprovals !== null && { flagApprovals }),
  };
}

/** Returns the project's record on the topic `directory`, with its throttle. */
export function projectRecord(row: ProjectRow, eventsPerSecond?: number): DirectoryRecord {
  return directoryRecord('project', {
    ...projectOf(row),
    ...(eventsPerSecond !== undefined && { eventsPerSecond }),
  });
}
