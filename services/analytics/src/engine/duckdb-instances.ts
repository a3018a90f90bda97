import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { FUNCTIONS } from './functions.ts';
import { quoted } from './quoted.ts';

export interface EngineOptions {
  threads: number;
  memoryBytes: number;
  /** The folder for intermediate results that do not fit into memory, and the maximum of their bytes. */
  spillFolder: string;
  spillBytes: number;
  /** The only folder that queries can read files from. */
  filesFolder: string;
}

/** Provides a DuckDB instance, and replaces it when it has become slow. */
interface Instances {
  /** Returns the instance to use until it is given back. */
  take(): Promise<DuckDBInstance>;
  giveBack(instance: DuckDBInstance): void;
  /** Waits until no instance is in use, but not longer than a time in milliseconds. */
  unused(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** The file of the database `kept`, which outlives an instance. It is not in the folder that tells of spilling. */
const keptFile = ({ spillFolder }: EngineOptions) => `${spillFolder}-kept.duckdb`;

/**
 * Once a query has spilled, DuckDB looks on disk for a file of every block that it frees, which makes a small
 * query a fifth slower. An instance that has spilled is therefore replaced as soon as it is unused.
 */
export function createInstances(options: EngineOptions): Instances {
  let opened: Promise<DuckDBInstance> | undefined;
  let users = 0;
  const waiting = new Set<() => void>();
  // A stopped process leaves its file.
  for (const file of [keptFile(options), `${keptFile(options)}.wal`]) rmSync(file, { force: true });

  /** Opens an instance. If that fails, the next user tries again. */
  function open(): Promise<DuckDBInstance> {
    const opening = openInstance(options).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    opened = opening;
    return opening;
  }

  return {
    async take() {
      // Counted before the await, because other users may give the instance back during it.
      users++;
      try {
        return await (opened ?? open());
      } catch (error) {
        users--;
        throw error;
      }
    },
    giveBack(instance) {
      users--;
      if (users > 0) return;
      for (const proceed of waiting) proceed();
      if (!existsSync(options.spillFolder)) return;
      // Also removes the folder.
      instance.closeSync();
      open().catch(() => undefined);
    },
    async unused(withinMs) {
      if (users === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, withinMs);
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
      clearTimeout(timer);
    },
    async close() {
      (await opened)?.closeSync();
    },
  };
}

async function openInstance(options: EngineOptions): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${options.memoryBytes}B`,
    temp_directory: options.spillFolder,
    preserve_insertion_order: 'false',
    // Returns memory after a query. Otherwise the process keeps most of the memory of the largest one.
    allocator_background_threads: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const setup = await instance.connect();
  // Set separately: together with the others, DuckDB shows the limit but does not enforce it.
  await setup.run(`set max_temp_directory_size = '${options.spillBytes}B'`);
  // Files are on local disk. Their cached blocks would take memory from queries, and outlive the erasure of people.
  await setup.run('set enable_external_file_cache = false');
  // Reads parts of files as a whole instead of byte by byte.
  await setup.run('set global prefetch_all_parquet_files = true');
  for (const statement of FUNCTIONS) await setup.run(statement);
  mkdirSync(dirname(keptFile(options)), { recursive: true });
  await setup.run(`attach ${quoted(keptFile(options))} as kept`);
  await setup.run(
    `set allowed_directories = [${quoted(options.filesFolder)}, ${quoted(options.spillFolder)}]`,
  );
  await setup.run('set enable_external_access = false');
  await setup.run('set lock_configuration = true');
  setup.closeSync();
  return instance;
}
