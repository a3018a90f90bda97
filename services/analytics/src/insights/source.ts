import { filesOfProject } from '@switchboard/contracts';
import { type Sql, sql, texts } from '../engine/sql.ts';
import type { FileCache } from '../files/cache.ts';
import type { FilesStore, KnownFile, Wanted } from '../files/store.ts';
import type { Source } from '../questions/events.ts';

/** A question is about more files than it may read. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

export interface Sources {
  /** The files with the rows of these events. Throws TooManyFiles. */
  find(wanted: Wanted): Promise<KnownFile[]>;
  /** Lets `work` read these files. Throws FileGone and TooManyBytes. */
  read<T>(projectId: string, files: readonly KnownFile[], work: (source: Source) => Promise<T>): Promise<T>;
}

const MAX_FILES = 20_000;

/** What a relation without files has. */
const NO_EVENTS = sql`(select '' as project_id, '' as event_id, '' as event_name, '' as distinct_id,
  null::varchar as session_id, null::timestamptz as occurred_at, null::timestamptz as received_at,
  null::varchar as properties, null::varchar as context where false)`;

export function createSources({
  store,
  cache,
}: {
  store: Pick<FilesStore, 'find'>;
  cache: FileCache;
}): Sources {
  return {
    async find(wanted) {
      const files = await store.find(wanted, MAX_FILES + 1);
      if (files.length > MAX_FILES) throw new TooManyFiles(`more than ${MAX_FILES} files`);
      return filesOfProject(files, wanted.projectId);
    },

    async read(projectId, files, work) {
      const held = await cache.hold(files);
      try {
        return await work({ projectId, events: eventsIn(held.paths) });
      } finally {
        held.release();
      }
    },
  };
}

function eventsIn(paths: readonly string[]): Sql {
  return paths.length === 0 ? NO_EVENTS : sql`read_parquet(${texts(paths)}, union_by_name = true)`;
}
