import { filesOfProject } from '@switchboard/contracts';
import type { Clock } from '@switchboard/runtime';
import { z } from 'zod';
import { CLICKHOUSE } from '../engine/clickhouse-dialect.ts';
import { DUCKDB } from '../engine/duckdb-dialect.ts';
import type { Engine } from '../engine/engine.ts';
import { type Sql, sql, text } from '../engine/sql.ts';
import type { FileCache, HeldFile } from '../files/cache.ts';
import type { FilesStore, Wanted as WantedEvents } from '../files/store.ts';
import { type FoundRows, type KeptRows, rowsIn } from '../kept/kept-rows.ts';
import type { PeopleSource, WantedPeople } from '../people/sources.ts';
import type { PersonsSource } from '../persons/sources.ts';
import type { Source } from '../selection/events.ts';
import type { CountPeople } from '../timelines/timelines.ts';

/** A query needs more files than it may read. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

/** The events and people that a query reads. */
export interface Wanted extends WantedEvents {
  /** Undefined if the query reads neither traits nor groups. */
  people?: WantedPeople | undefined;
  /** Whether the query reads who the person of an event is. */
  readsPersons?: boolean;
}

type KnownSource = Pick<Source, 'people' | 'personIds'>;
/** The paths of files with events. */
interface Paths {
  /** Files of this project alone. */
  own: string[];
  /** Files that contain events of other projects as well. */
  shared: string[];
}

export type FoundSource = KnownSource &
  Pick<Source, 'dialect' | 'projectId' | 'events' | 'kept' | 'countPeople'> & {
    /** Returns the files of the events. Absent if the events are in a table. */
    paths?: (() => Paths) | undefined;
  };

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

/** Provides the traits and persons of events. */
interface KnownSources {
  people: PeopleSource;
  persons: PersonsSource;
}

const MAX_FILES = 20_000;

/** The empty relation for queries without files. */
const NO_EVENTS = sql`(select '' as project_id, '' as event_id, '' as event_name, '' as distinct_id,
  null::varchar as session_id, null::timestamptz as occurred_at, null::timestamptz as received_at,
  null::varchar as properties, null::varchar as context, false as bot where false)`;

/** Reads events from the archive's files, for DuckDB. */
export function createFileSources({
  store,
  cache,
  kept,
  countPeople,
  ...sources
}: KnownSources & {
  store: Pick<FilesStore, 'find'>;
  cache: Pick<FileCache, 'hold'>;
  kept: Pick<KeptRows, 'find'>;
  countPeople: CountPeople;
}): Sources {
  return {
    async find(wanted, signal) {
      const all = await store.find(wanted, MAX_FILES + 1);
      if (all.length > MAX_FILES) throw new TooManyFiles(`more than ${MAX_FILES} files`);
      const { projectId } = wanted;
      const files = filesOfProject(all, projectId);
      const known = await findKnown(sources, wanted, signal);
      return {
        version: JSON.stringify([files.map(({ key }) => key), known.version]),
        async read(signal, work) {
          const held = await cache.hold(files, signal);
          const used: Pick<FoundRows, 'check' | 'release'>[] = [];
          const findKept: Source['kept'] = (rowsOf) => {
            const found = kept.find(projectId, held.files, rowsOf);
            used.push(found);
            const paths = found.kept.map(({ path }) => path);
            return paths.length === 0 ? undefined : { rows: rowsIn(paths), events: eventsIn(found.rest) };
          };
          try {
            const source = {
              dialect: DUCKDB,
              projectId,
              paths: () => pathsOf(held.files, files, projectId),
              events: eventsIn(held.files),
              kept: findKept,
            };
            return await known.read(signal, (found) =>
              work({
                ...source,
                ...found,
                async countPeople(queries, counter) {
                  const { personIds } = found;
                  const asked = { projectId, files: held.files, personIds, signal };
                  const { counts, ...using } = await countPeople(asked, queries, counter);
                  used.push(using);
                  return counts;
                },
              }),
            );
          } catch (error) {
            await held.check();
            for (const { check } of used) await check();
            throw error;
          } finally {
            for (const { release } of used) release();
            held.release();
          }
        },
      };
    },
  };
}

function pathsOf(
  held: readonly HeldFile[],
  files: readonly { key: string; project: string | null }[],
  projectId: string,
): Paths {
  const own = new Set(files.filter(({ project }) => project === projectId).map(({ key }) => key));
  const { ours = [], others = [] } = Object.groupBy(held, ({ key }) => (own.has(key) ? 'ours' : 'others'));
  return { own: ours.map(({ path }) => path), shared: others.map(({ path }) => path) };
}

function eventsIn(files: readonly HeldFile[]): Sql {
  return files.length === 0 ? NO_EVENTS : rowsIn(files.map(({ path }) => path));
}

/** Results are kept for at most an hour, because expiry changes no version. */
const HOUR_MS = 3_600_000;

const versionRows = z.tuple([z.object({ version: z.string() })]);

/** Reads events from the table in ClickHouse. */
export function createTableSources({
  engine,
  clock,
  ...sources
}: KnownSources & {
  engine: Pick<Engine, 'query'>;
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
      const known = await findKnown(sources, wanted, signal);
      return {
        version: `${version} in ${hour}, ${known.version}`,
        read: (signal, work) => known.read(signal, (found) => work({ ...source, ...found })),
      };
    },
  };
}

/** Finds the people and persons of a query, if it reads any. */
async function findKnown({ people, persons }: KnownSources, wanted: Wanted, signal: AbortSignal) {
  const { projectId, people: wantedPeople, readsPersons = false } = wanted;
  const ofPeople = wantedPeople === undefined ? undefined : await people.version(projectId, signal);
  const ofPersons = readsPersons ? await persons.version(projectId, signal) : undefined;
  return {
    version: [ofPeople, ofPersons].join(' by '),
    async read<T>(signal: AbortSignal, work: (known: KnownSource) => Promise<T>): Promise<T> {
      const withPersons = (known: KnownSource) =>
        ofPersons === undefined
          ? work(known)
          : persons.read(projectId, signal, (personIds) => work({ ...known, personIds }));
      return wantedPeople === undefined
        ? withPersons({})
        : people.read(projectId, wantedPeople, signal, (found) => withPersons({ people: found }));
    },
  };
}
