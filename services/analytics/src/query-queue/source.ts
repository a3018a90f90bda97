import { filesOfProject } from '@switchboard/contracts';
import type { Clock } from '@switchboard/runtime';
import { z } from 'zod';
import { CLICKHOUSE } from '../engine/clickhouse-dialect.ts';
import { DUCKDB } from '../engine/duckdb-dialect.ts';
import type { Engine } from '../engine/engine.ts';
import { type Sql, sql, text, texts } from '../engine/sql.ts';
import type { FileCache } from '../files/cache.ts';
import type { FilesStore, Wanted as WantedEvents } from '../files/store.ts';
import type { PeopleSource, WantedPeople } from '../people/sources.ts';
import type { Source } from '../queries/events.ts';

/** A query needs more files than it may read. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

/** The events and people that a query reads. */
export interface Wanted extends WantedEvents {
  /** Undefined if the query reads neither traits nor groups. */
  people?: WantedPeople | undefined;
}

export type FoundSource = Pick<Source, 'dialect' | 'projectId' | 'events' | 'people'>;

export interface Found {
  /** Changes when there are newer events or people. */
  version: string;
  /** Runs `work` on the events. Throws FileGone and TooManyBytes, and the signal's reason if it aborts first. */
  read<T>(signal: AbortSignal, work: (source: FoundSource) => Promise<T>): Promise<T>;
}

export interface Sources {
  /** Throws TooManyFiles and errors of queries. */
  find(wanted: Wanted, signal: AbortSignal): Promise<Found>;
}

const MAX_FILES = 20_000;

/** The empty relation for queries without files. */
const NO_EVENTS = sql`(select '' as project_id, '' as event_id, '' as event_name, '' as distinct_id,
  null::varchar as session_id, null::timestamptz as occurred_at, null::timestamptz as received_at,
  null::varchar as properties, null::varchar as context where false)`;

/** Reads events from the archive's files, for DuckDB. */
export function createFileSources({
  store,
  cache,
  people,
}: {
  store: Pick<FilesStore, 'find'>;
  cache: Pick<FileCache, 'hold'>;
  people: PeopleSource;
}): Sources {
  return {
    async find(wanted, signal) {
      const all = await store.find(wanted, MAX_FILES + 1);
      if (all.length > MAX_FILES) throw new TooManyFiles(`more than ${MAX_FILES} files`);
      const { projectId } = wanted;
      const files = filesOfProject(all, projectId);
      const known = await findPeople(people, wanted, signal);
      return {
        version: JSON.stringify([files.map(({ key }) => key), known.version]),
        async read(signal, work) {
          const held = await cache.hold(files, signal);
          try {
            const source = { dialect: DUCKDB, projectId, events: eventsIn(held.paths) };
            return await known.read(signal, (people) => work({ ...source, people }));
          } catch (error) {
            await held.check();
            throw error;
          } finally {
            held.release();
          }
        },
      };
    },
  };
}

/** No part of a path becomes a column. */
function eventsIn(paths: readonly string[]): Sql {
  return paths.length === 0 ? NO_EVENTS : sql`read_parquet(${texts(paths)}, hive_partitioning = false)`;
}

/** Results are kept for at most an hour, because expiry changes no version. */
const HOUR_MS = 3_600_000;

const versionRows = z.tuple([z.object({ version: z.string() })]);

/** Reads events from the table in ClickHouse. */
export function createTableSources({
  engine,
  people,
  clock,
}: {
  engine: Pick<Engine, 'query'>;
  people: PeopleSource;
  clock: Clock;
}): Sources {
  return {
    async find(wanted, signal) {
      const { projectId } = wanted;
      const rows = await engine.query(
        sql`select concat(toString(sum(inserted)), ' at ', toString(max(changed_at))) as version
          from project_versions where project_id = ${text(projectId)}`,
        signal,
      );
      const [{ version }] = versionRows.parse(rows);
      const hour = Math.floor(clock.now().getTime() / HOUR_MS);
      const source = { dialect: CLICKHOUSE, projectId, events: sql`events` };
      const known = await findPeople(people, wanted, signal);
      return {
        version: `${version} in ${hour}, ${known.version}`,
        read: (signal, work) => known.read(signal, (people) => work({ ...source, people })),
      };
    },
  };
}

/** Finds the people of a query, if it reads any. */
async function findPeople(people: PeopleSource, { projectId, people: wanted }: Wanted, signal: AbortSignal) {
  return {
    version: wanted === undefined ? '' : await people.version(projectId, signal),
    read: <T>(signal: AbortSignal, work: (people: Sql | undefined) => Promise<T>) =>
      wanted === undefined ? work(undefined) : people.read(projectId, wanted, signal, work),
  };
}
