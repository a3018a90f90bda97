import { BadRequest, Unavailable } from '@switchboard/http';
import { z } from 'zod';
import type { DuckDb, PeopleTable } from '../engine/duckdb.ts';
import type { Engine } from '../engine/engine.ts';
import { COMMA, join, numbered, type Sql, sql, text } from '../engine/sql.ts';
import type { PeopleStore, WantedTraits } from './store.ts';

export interface WantedPeople extends WantedTraits {
  /** The first place in the query that reads traits or groups. */
  path: string;
}

/** Provides the traits and groups that queries read. */
export interface PeopleSource {
  /** Returns a version that changes when a result may change. Throws what a query throws, and Unavailable. */
  version(projectId: string, signal: AbortSignal): Promise<string>;
  /** Runs `work` on a relation of distinct_id, traits and groups: the requested data of all people, as JSON. */
  read<T>(
    projectId: string,
    wanted: WantedPeople,
    signal: AbortSignal,
    work: (people: Sql) => Promise<T>,
  ): Promise<T>;
}

/** People are copied into the engine page by page, each of at most a few dozen megabytes. */
const PAGE_SIZE = 2000;
/** The limit past which a query is rejected. */
const MAX_PEOPLE = 2_000_000;
/** The time for which newer traits do not change a result. */
const VERSION_MS = 5000;

/** Reads people from PostgreSQL, and copies them into DuckDB for each query. */
export function createCopiedPeople({
  store,
  engine,
}: {
  store: Pick<PeopleStore, 'page' | 'version'>;
  engine: Pick<DuckDb, 'createPeople'>;
}): PeopleSource {
  let known = { version: '', until: 0 };

  /** Copies the requested traits of all people who have any. */
  async function copy(projectId: string, wanted: WantedPeople, table: PeopleTable, signal: AbortSignal) {
    let after = '';
    for (let read = 0; ; read += PAGE_SIZE) {
      if (read >= MAX_PEOPLE)
        throw new BadRequest(
          `${wanted.path}: needs traits, groups and cohorts of more than ${MAX_PEOPLE} people`,
        );
      signal.throwIfAborted();
      const page = await store.page(projectId, wanted, after, PAGE_SIZE);
      const some = page.filter(({ traits, groups }) => traits !== null || groups !== null);
      await table.add(
        some.map(({ distinctId, traits, groups }) => ({
          distinctId,
          traits: traits ?? '{}',
          groups: groups ?? '{}',
        })),
      );
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_SIZE) return;
      after = last.distinctId;
    }
  }

  return {
    async version() {
      if (performance.now() >= known.until) {
        known = { version: await store.version(), until: performance.now() + VERSION_MS };
      }
      return known.version;
    },

    async read(projectId, wanted, signal, work) {
      const table = await engine.createPeople(signal);
      try {
        await copy(projectId, wanted, table, signal);
        return await work(table.relation);
      } finally {
        await table.drop();
      }
    },
  };
}

const RETRY_SECONDS = 30;
const versionRows = z.tuple([z.object({ version: z.string(), people: z.string(), groups: z.string() })]);

/** Reads people from the tables in ClickHouse. */
export function createTablePeople({
  engine,
  isFilled,
}: {
  engine: Pick<Engine, 'query'>;
  /** Whether all people have been copied to the tables with these ids. */
  isFilled(ids: { people: string; groups: string }): Promise<boolean>;
}): PeopleSource {
  return {
    async version(projectId, signal) {
      const of = (table: Sql) =>
        sql`(select concat(toString(max(version)), ' of ', toString(count())) from ${table}
          where project_id = ${text(projectId)})`;
      // Queried each time, because ClickHouse may be replaced by an empty server.
      const idOf = (table: string) =>
        sql`(select toString(uuid) from system.tables
          where database = currentDatabase() and name = ${text(table)})`;
      const rows = await engine.query(
        sql`select concat(${of(sql`people`)}, ', ', ${of(sql`groups`)}) as version,
          ${idOf('people')} as people, ${idOf('groups')} as groups`,
        signal,
      );
      const [{ version, ...ids }] = versionRows.parse(rows);
      if (!(await isFilled(ids))) {
        throw new Unavailable(
          'Traits and groups are still being copied to ClickHouse. Retry after the time in Retry-After.',
          RETRY_SECONDS,
        );
      }
      return version;
    },
    read: (projectId, { groups }, _signal, work) =>
      work(peopleInTables(projectId, [...new Set(groups.map(([type]) => type))])),
  };
}

/** Returns a relation of a project's people, with all of their traits and those of their groups of these types. */
export function peopleInTables(projectId: string, types: readonly string[]): Sql {
  const project = sql`project_id = ${text(projectId)}`;
  const groups = types.map((type, index) => {
    const name = numbered('n', index);
    return {
      member: sql`ifNull(${name}.member, '')`,
      joined: sql` left join (select id, concat(${text(`${JSON.stringify(type)}:`)}, traits) as member
          from groups final where ${project} and type = ${text(type)}) as ${name}
        on ${name}.id = JSONExtractString(known.groups, ${text(type)})`,
    };
  });
  const members = join(
    groups.map(({ member }) => member),
    COMMA,
  );
  const object =
    groups.length === 0
      ? sql`'{}'`
      : sql`concat('{', arrayStringConcat(arrayFilter(part -> part <> '', [${members}]), ','), '}')`;
  const joins = join(
    groups.map(({ joined }) => joined),
    sql``,
  );
  return sql`(select known.distinct_id as distinct_id, known.traits as traits, ${object} as groups
    from (select distinct_id, traits, groups from people final where ${project}) as known${joins}
    settings join_algorithm = 'hash')`;
}
