import type { FlagDefinition, FlagEntry, FlagVersion, LastFlagChange } from '@switchboard/contracts';
import { validateFlag } from '@switchboard/flag-engine';
import { type AuditedChange, Conflict, NotFound, type PageRequest, unknownCursor } from '@switchboard/http';
import { type Edit, etagOf, presentVersions } from '../flag-history/history.ts';
import { createFlagHistoryStore } from '../flag-history/store.ts';
import { type EditFlagOptions, editFlag, type FlagPath, requireValid } from './edit-flag.ts';
import { createFlagsStore } from './store.ts';

/** A flag with the ETag of its version. */
export interface VersionedFlag {
  flag: FlagEntry;
  etag: string;
}

/** The flags of projects. A change throws PreconditionFailed if the flag is not in the expected state. */
export interface Flags {
  list(projectId: string): Promise<{ flags: FlagEntry[]; lastChanges: LastFlagChange[] }>;
  /** Throws NotFound. */
  get(at: FlagPath): Promise<VersionedFlag>;
  /**
   * Creates or replaces a flag. Throws BadRequest if it conflicts with the project's other flags, Conflict if the
   * change breaks a prerequisite of another flag.
   */
  put(change: AuditedChange, at: FlagPath, definition: FlagDefinition, edit: Edit): Promise<VersionedFlag>;
  /** Removes a flag and fails its scheduled changes. Throws Conflict while another flag has it as a prerequisite. */
  remove(change: AuditedChange, at: FlagPath, edit: Edit): Promise<void>;
  /** Returns the versions of a flag, newest first. Throws BadRequest for a cursor that no page returned. */
  versions(at: FlagPath, page: PageRequest): Promise<{ versions: FlagVersion[]; nextCursor: string | null }>;
  /** Makes an earlier version the newest. Throws NotFound, and Conflict if the flag can no longer have that state. */
  restore(change: AuditedChange, at: FlagPath, version: number, edit: Edit): Promise<VersionedFlag>;
}

const CURSOR = /^[1-9]\d{0,8}$/;

/** Manages the flags of projects. */
export function createFlags(options: EditFlagOptions): Flags {
  const { drizzle } = options.database;
  const store = createFlagsStore(drizzle);
  const history = createFlagHistoryStore(drizzle);

  return {
    list: store.listWithChanges,

    async get({ projectId, key }) {
      const found = await store.find(projectId, key);
      if (found === undefined) throw new NotFound('Flag not found.');
      return { flag: found.entry, etag: etagOf(found.version) };
    },

    async put(change, at, definition, edit) {
      const flag: FlagEntry = { key: at.key, ...definition };
      const etag = await editFlag(change, options, at, edit, (existing) => requireValid(flag, existing));
      return { flag, etag };
    },

    async remove(change, at, edit) {
      await editFlag(change, options, at, edit, () => undefined);
    },

    async versions({ projectId, key }, { cursor, limit }) {
      if (cursor !== undefined && !CURSOR.test(cursor)) throw unknownCursor();
      const from = cursor === undefined ? undefined : Number(cursor);
      return presentVersions(await history.list(projectId, key, limit + 1, from), limit);
    },

    async restore(change, at, version, edit) {
      const [row] = await history.list(at.projectId, at.key, 1, version);
      if (row?.version !== version) throw new NotFound('Version not found.');
      const { entry } = row;
      if (entry === null) {
        throw new Conflict(`Version ${version} is a deletion. Use DELETE to delete the flag.`);
      }
      const etag = await editFlag(change, options, at, edit, (existing) => {
        const [fault] = validateFlag(entry, existing);
        if (fault !== undefined) {
          throw new Conflict(
            `Version ${version} conflicts with the current flags. ${fault.path}: ${fault.problem}`,
          );
        }
        return entry;
      });
      return { flag: entry, etag };
    },
  };
}
