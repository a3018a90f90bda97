import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api';
import { DUCKDB } from './duckdb-dialect.ts';
import { type Engine, QueryTimeout, QueryTooLarge, type Row } from './engine.ts';
import { FUNCTIONS } from './functions.ts';
import { type Bound, numbered, type Sql, sql, texts } from './sql.ts';

interface EngineOptions {
  threads: number;
  memoryBytes: number;
  /** Where intermediate results go that do not fit into memory, and at most how many bytes of them. */
  spillFolder: string;
  spillBytes: number;
  /** The only folder whose files queries can read. */
  filesFolder: string;
}

const TYPES: Record<Bound['type'], DuckDBType> = {
  text: VARCHAR,
  integer: BIGINT,
  number: DOUBLE,
  texts: LIST(VARCHAR),
  integers: LIST(BIGINT),
  numbers: LIST(DOUBLE),
};

/** DuckDB in this process. It works on threads of its own, within bounds of all queries together. */
export async function openDuckDb(options: EngineOptions): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${options.memoryBytes}B`,
    temp_directory: options.spillFolder,
    max_temp_directory_size: `${options.spillBytes}B`,
    preserve_insertion_order: 'false',
    // Gives memory back after a question; else the process keeps most of what the largest one took.
    allocator_background_threads: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const setup = await instance.connect();
  // Files are on local disk. Their blocks would take memory from the query, and stay when people are erased.
  await setup.run('set enable_external_file_cache = false');
  // Reads parts of files whole; else byte by byte.
  await setup.run('set global prefetch_all_parquet_files = true');
  for (const statement of FUNCTIONS) await setup.run(statement);
  await setup.run(
    `set allowed_directories = [${quoted(options.filesFolder)}, ${quoted(options.spillFolder)}]`,
  );
  await setup.run('set enable_external_access = false');
  await setup.run('set lock_configuration = true');
  setup.closeSync();

  async function query(query: Sql, signal?: AbortSignal): Promise<Row[]> {
    signal?.throwIfAborted();
    const connection = await instance.connect();
    const interrupt = () => connection.interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    try {
      return await run(connection, query);
    } catch (error) {
      if (signal?.aborted === true) throw new QueryTimeout('The query took too long.', { cause: error });
      if (error instanceof Error && /^Out of Memory Error/.test(error.message)) {
        throw new QueryTooLarge('The query needs too much memory.', { cause: error });
      }
      throw error;
    } finally {
      signal?.removeEventListener('abort', interrupt);
      connection.closeSync();
    }
  }

  let tables = 0;
  return {
    dialect: DUCKDB,
    query,
    async createPeople(signal) {
      const relation = numbered('people', tables++);
      await query(
        sql`create table ${relation} (distinct_id varchar, traits varchar, groups varchar)`,
        signal,
      );
      return {
        relation,
        async add(people) {
          await query(
            sql`insert into ${relation} select unnest(${texts(people.map(({ distinctId }) => distinctId))}),
              unnest(${texts(people.map(({ traits }) => traits))}),
              unnest(${texts(people.map(({ groups }) => groups))})`,
            signal,
          );
        },
        async drop() {
          await query(sql`drop table if exists ${relation}`);
        },
      };
    },
    close: async () => instance.closeSync(),
  };
}

async function run(connection: DuckDBConnection, { texts, values }: Sql): Promise<Row[]> {
  const statement = texts.reduce((before, part, index) => {
    const type = values[index - 1]?.type ?? 'text';
    return `${before}$${index}::${TYPES[type]}${part}`;
  });
  const bound = values.map(boundOf);
  const reader = await connection.runAndReadAll(
    statement,
    bound,
    values.map(({ type }) => TYPES[type]),
  );
  return reader.getRowObjectsJS();
}

function boundOf({ type, value }: Bound): DuckDBValue {
  const one = (item: string | number) => (type.startsWith('integer') ? BigInt(item) : item);
  return typeof value === 'string' || typeof value === 'number' ? one(value) : listValue([...value].map(one));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
