import { withSignal } from '@switchboard/resilience';
import { z } from 'zod';
import type { DuckDb } from '../engine/duckdb.ts';
import type { Engine } from '../engine/engine.ts';
import { numbered, type Sql, sql, text, texts } from '../engine/sql.ts';
import type { PersonOfId, PersonsStore } from './store.ts';

/** Provides the map of ids to persons that queries read. */
export interface PersonsSource {
  /** Returns a version that changes when an id is joined or parted. Undefined if no person has several ids. */
  version(projectId: string, signal: AbortSignal): Promise<string | undefined>;
  /** Runs `work` on a relation of distinct_id and person_id: the ids that belong to a person with another id. */
  read<T>(projectId: string, signal: AbortSignal, work: (personIds: Sql) => Promise<T>): Promise<T>;
}

/** The maps that DuckDB has copies of. */
export interface CopiedPersons extends PersonsSource {
  /** Refreshes all copies, for example to erase people, and drops those that no query has used for an hour. */
  sweep(): Promise<void>;
}

/** The number of ids that are copied at once. */
const PAGE_SIZE = 20_000;
/** The number of ids of all projects in DuckDB, at about 26 bytes on disk. Past it, maps that are unused are dropped. */
const MAX_IDS = 20_000_000;
const HOUR_MS = 3_600_000;

/** A whole copy of a project's map. A table that was replaced stays until its last query ends. */
interface Copy {
  table: Sql;
  ids: number;
  users: number;
  isReplaced: boolean;
}

/** A project's map in DuckDB. */
interface PersonMap {
  /** Undefined until the whole map is copied. */
  copy: Copy | undefined;
  version: number | undefined;
  users: number;
  usedAt: number;
  /** The last refresh, which may still run. */
  refresh: Promise<void>;
}

/**
 * Copies the maps of projects from PostgreSQL into tables of DuckDB on disk, and refreshes them with the ids that
 * changed. A map is copied for the first query that needs it.
 */
export function createCopiedPersons({
  store,
  engine,
  maxIds = MAX_IDS,
}: {
  store: Pick<PersonsStore, 'version' | 'page' | 'changesAfter'>;
  engine: Pick<DuckDb, 'write'>;
  maxIds?: number;
}): CopiedPersons {
  /** By project, the least recently used first. */
  const maps = new Map<string, PersonMap>();
  let tables = 0;

  function use(projectId: string): PersonMap {
    const known = maps.get(projectId);
    const map = known ?? {
      copy: undefined,
      version: undefined,
      users: 0,
      usedAt: 0,
      refresh: Promise.resolve(),
    };
    map.users++;
    map.usedAt = performance.now();
    maps.delete(projectId);
    maps.set(projectId, map);
    return map;
  }

  async function refresh(projectId: string, map: PersonMap): Promise<void> {
    const version = (await store.version(projectId)) ?? 0;
    if (version === map.version) return;
    const changes = map.version === undefined ? undefined : await store.changesAfter(projectId, map.version);
    if (changes === undefined || map.copy === undefined) await replace(map, await copyOf(projectId));
    else await apply(changes, map.copy);
    map.version = version;
  }

  async function replace(map: PersonMap, copy: Copy): Promise<void> {
    const { copy: last } = map;
    map.copy = copy;
    if (last === undefined) return;
    last.isReplaced = true;
    if (last.users === 0) await dropTable(last);
  }

  const dropTable = ({ table }: Copy) => engine.write([sql`drop table if exists ${table}`]);

  async function copyOf(projectId: string): Promise<Copy> {
    const copy = { table: numbered('kept.persons', tables++), ids: 0, users: 0, isReplaced: false };
    await engine.write([sql`create or replace table ${copy.table} (distinct_id varchar, person_id varchar)`]);
    try {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page: PersonOfId[] = await store.page(projectId, after, PAGE_SIZE);
        if (page.length > 0) await engine.write([insertInto(copy, page)]);
        copy.ids += page.length;
        after = page.length < PAGE_SIZE ? undefined : page.at(-1)?.distinctId;
      }
    } catch (error) {
      await dropTable(copy);
      throw error;
    }
    return copy;
  }

  async function apply(changes: readonly PersonOfId[], copy: Copy): Promise<void> {
    const ids = changes.map(({ distinctId }) => distinctId);
    const joined = changes.filter(({ personId }) => personId !== null);
    await engine.write([
      sql`delete from ${copy.table} where distinct_id in (select unnest(${texts(ids)}))`,
      ...(joined.length === 0 ? [] : [insertInto(copy, joined)]),
    ]);
    copy.ids += joined.length;
  }

  /** A query that begins during the refresh waits for another one, which sees later changes. */
  function refreshed(projectId: string, map: PersonMap): Promise<void> {
    map.refresh = map.refresh.catch(() => undefined).then(() => refresh(projectId, map));
    return map.refresh;
  }

  async function drop(projectId: string, map: PersonMap): Promise<void> {
    maps.delete(projectId);
    // A refresh goes on when the query that began it has ended.
    await map.refresh.catch(() => undefined);
    if (map.copy !== undefined) await dropTable(map.copy);
  }

  async function readCopy<T>({ copy }: PersonMap, work: (personIds: Sql) => Promise<T>): Promise<T> {
    if (copy === undefined) throw new Error('the map of persons is not copied');
    copy.users++;
    try {
      return await work(copy.table);
    } finally {
      copy.users--;
      if (copy.isReplaced && copy.users === 0) await dropTable(copy);
    }
  }

  /** Drops the maps that were unused for the longest, until the rest fits. */
  async function makeSpace(): Promise<void> {
    let ids = [...maps.values()].reduce((sum, { copy }) => sum + (copy?.ids ?? 0), 0);
    for (const [projectId, map] of maps) {
      if (ids <= maxIds) return;
      if (map.users > 0) continue;
      ids -= map.copy?.ids ?? 0;
      await drop(projectId, map);
    }
  }

  return {
    async version(projectId) {
      const version = await store.version(projectId);
      return version === undefined ? undefined : String(version);
    },

    async read(projectId, signal, work) {
      const map = use(projectId);
      try {
        // Goes on without this query, because the next one needs it too.
        await withSignal(signal, refreshed(projectId, map));
        return await readCopy(map, work);
      } finally {
        map.users--;
        await makeSpace();
      }
    },

    async sweep() {
      for (const [projectId, map] of [...maps]) {
        const isUnused = map.users === 0 && performance.now() - map.usedAt > HOUR_MS;
        if (isUnused) await drop(projectId, map);
        else await refreshed(projectId, map);
      }
    },
  };
}

function insertInto({ table }: Copy, ids: readonly PersonOfId[]): Sql {
  return sql`insert into ${table} select unnest(${texts(ids.map(({ distinctId }) => distinctId))}),
    unnest(${texts(ids.map(({ personId }) => personId ?? ''))})`;
}

const versionRows = z.tuple([z.object({ version: z.string(), ids: z.number() })]);

/** Reads the map from the table in ClickHouse. */
export function createTablePersons({ engine }: { engine: Pick<Engine, 'query'> }): PersonsSource {
  return {
    async version(projectId, signal) {
      const rows = await engine.query(
        sql`select toString(max(version)) as version, toInt32(count()) as ids from person_ids
          where project_id = ${text(projectId)}`,
        signal,
      );
      const [{ version, ids }] = versionRows.parse(rows);
      return ids === 0 ? undefined : `${version} of ${ids}`;
    },
    read: (projectId, _signal, work) => work(personIdsInTables(projectId)),
  };
}

/** Returns a relation of the ids of a project that belong to a person with another id. */
export function personIdsInTables(projectId: string): Sql {
  return sql`(select distinct_id, person_id from person_ids final where project_id = ${text(projectId)})`;
}
