import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api';
import { DiskFull, isDiskFull } from '../files/disk-full.ts';
import { DUCKDB } from './duckdb-dialect.ts';
import { createInstances, type EngineOptions } from './duckdb-instances.ts';
import { columnsOf, visitPeople } from './duckdb-values.ts';
import { type Engine, type Facts, QueryTimeout, QueryTooLarge, type Row } from './engine.ts';
import { type Bound, integer, numbered, type Sql, sql, text, texts } from './sql.ts';

const TYPES: Record<Bound['type'], DuckDBType> = {
  text: VARCHAR,
  integer: BIGINT,
  number: DOUBLE,
  texts: LIST(VARCHAR),
  integers: LIST(BIGINT),
  numbers: LIST(DOUBLE),
};

const INTERRUPT_MS = 20;
const UNUSED_WAIT_MS = 1_000;

export interface DuckDb extends Engine {
  /** Opens the first instance. Without it, the first query does. */
  start(): Promise<void>;
  /** Runs statements in one transaction. Tables in the database `kept` stay until they are dropped. */
  write(statements: readonly Sql[]): Promise<void>;
  /** Waits until no query runs, but not longer than a second. */
  unused(): Promise<void>;
  /** Writes the rows of a query to a Parquet file, in the folder that queries read. Throws what `query` throws. */
  save(query: Sql, path: string, signal: AbortSignal): Promise<void>;
  /** Returns the columns of a query of 64-bit integers that are never null. Throws what `query` throws. */
  integers(query: Sql, signal: AbortSignal): Promise<BigInt64Array<ArrayBuffer>[]>;
  /** Creates an empty table of people for one query. */
  createPeople(signal?: AbortSignal): Promise<PeopleTable>;
}

/** The traits and groups of a person, as JSON. */
interface PersonRow {
  distinctId: string;
  traits: string;
  groups: string;
}

export interface PeopleTable {
  /** A relation of distinct_id, traits and groups. */
  readonly relation: Sql;
  add(people: readonly PersonRow[]): Promise<void>;
  /** Also works after a time-out. */
  drop(): Promise<void>;
}

/** Creates a DuckDB in this process. It runs on its own threads, with limits for all queries together. */
export function createDuckDb(options: EngineOptions): DuckDb {
  const instances = createInstances(options);

  async function query(query: Sql, signal?: AbortSignal): Promise<Row[]> {
    const instance = await instances.take();
    try {
      return await queryOn(instance, query, signal);
    } finally {
      instances.giveBack(instance);
    }
  }

  let tables = 0;

  async function createFacts(signal: AbortSignal): Promise<Facts> {
    const relation = numbered('kept.facts', tables++);
    await query(sql`create table ${relation} (k bigint, p varchar)`, signal);
    const add = async (rows: Sql, within: AbortSignal) =>
      void (await query(sql`insert into ${relation} ${rows}`, within));
    return {
      relation,
      add,
      addPeople: (k, people, within) => add(sql`select ${integer(k)}, unnest(${texts(people)})`, within),
      drop: async () => void (await query(sql`drop table if exists ${relation}`)),
    };
  }

  return {
    dialect: DUCKDB,
    query,
    async eachPerson(query, visit, signal) {
      const instance = await instances.take();
      try {
        await connected(instance, signal, async (connection) => {
          const { statement, bound, types } = prepared(query);
          // Not streamed, because an error within a stream looks like its end.
          await visitPeople(await connection.run(statement, bound, types), visit, signal);
        });
      } finally {
        instances.giveBack(instance);
      }
    },
    createFacts,
    async write(statements) {
      const instance = await instances.take();
      try {
        const connection = await instance.connect();
        try {
          await connection.run('begin');
          for (const statement of statements) await run(connection, statement);
          await connection.run('commit');
        } finally {
          // Rolls an uncommitted transaction back.
          connection.closeSync();
        }
      } finally {
        instances.giveBack(instance);
      }
    },
    unused: () => instances.unused(UNUSED_WAIT_MS),
    async save(rows, path, signal) {
      await query(sql`copy (${rows}) to (${text(path)}) (format parquet)`, signal);
    },
    async integers(query, signal) {
      const instance = await instances.take();
      try {
        return await connected(instance, signal, async (connection) => {
          const { statement, bound, types } = prepared(query);
          return columnsOf(await connection.run(statement, bound, types));
        });
      } finally {
        instances.giveBack(instance);
      }
    },
    async createPeople(signal) {
      const relation = numbered('people', tables++);
      // This instance has the table.
      const instance = await instances.take();
      try {
        await queryOn(
          instance,
          sql`create table ${relation} (distinct_id varchar, traits varchar, groups varchar)`,
          signal,
        );
      } catch (error) {
        instances.giveBack(instance);
        throw error;
      }
      return {
        relation,
        async add(people) {
          await queryOn(
            instance,
            sql`insert into ${relation} select unnest(${texts(people.map(({ distinctId }) => distinctId))}),
              unnest(${texts(people.map(({ traits }) => traits))}),
              unnest(${texts(people.map(({ groups }) => groups))})`,
            signal,
          );
        },
        async drop() {
          try {
            await queryOn(instance, sql`drop table ${relation}`);
          } finally {
            instances.giveBack(instance);
          }
        },
      };
    },
    start: async () => instances.giveBack(await instances.take()),
    close: instances.close,
  };
}

function queryOn(instance: DuckDBInstance, query: Sql, signal?: AbortSignal): Promise<Row[]> {
  return connected(instance, signal, (connection) => run(connection, query));
}

/** Works on a connection of its own, which the signal interrupts. Throws errors of the engine. */
async function connected<T>(
  instance: DuckDBInstance,
  signal: AbortSignal | undefined,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect();
  let interrupting: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    // DuckDB ignores an interrupt before the query has started, for example during preparation.
    interrupting = setInterval(() => connection.interrupt(), INTERRUPT_MS);
  };
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    signal?.throwIfAborted();
    return await work(connection);
  } catch (error) {
    if (signal?.aborted === true) throw new QueryTimeout('The query took too long.', { cause: error });
    if (error instanceof Error && /^Out of Memory Error/.test(error.message)) {
      throw new QueryTooLarge('The query needs too much memory.', { cause: error });
    }
    if (isDiskFull(error)) throw new DiskFull('No space for intermediate results.', { cause: error });
    throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    clearInterval(interrupting);
    connection.closeSync();
  }
}

async function run(connection: DuckDBConnection, query: Sql): Promise<Row[]> {
  const { statement, bound, types } = prepared(query);
  const reader = await connection.runAndReadAll(statement, bound, types);
  return reader.getRowObjectsJS();
}

function prepared({ texts, values }: Sql) {
  const statement = texts.reduce((before, part, index) => {
    const type = values[index - 1]?.type ?? 'text';
    return `${before}$${index}::${TYPES[type]}${part}`;
  });
  return { statement, bound: values.map(boundOf), types: values.map(({ type }) => TYPES[type]) };
}

function boundOf({ type, value }: Bound): DuckDBValue {
  const one = (item: string | number) => (type.startsWith('integer') ? BigInt(item) : item);
  return typeof value === 'string' || typeof value === 'number' ? one(value) : listValue([...value].map(one));
}
