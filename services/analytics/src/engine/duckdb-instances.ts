import { existsSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { FUNCTIONS } from './functions.ts';

export interface EngineOptions {
  threads: number;
  memoryBytes: number;
  /** Where intermediate results go that do not fit into memory, and at most how many bytes of them. */
  spillFolder: string;
  spillBytes: number;
  /** The only folder whose files queries can read. */
  filesFolder: string;
}

/** An instance that is replaced where it has become slow. */
interface Instances {
  /** What to use until it is given back. */
  take(): Promise<DuckDBInstance>;
  giveBack(instance: DuckDBInstance): void;
  close(): Promise<void>;
}

/**
 * Once a query has spilled, DuckDB looks on the disk for a file of every block that it frees, and a small question takes
 * a fifth longer. So an instance that has spilled is replaced as soon as nobody uses it.
 */
export function createInstances(options: EngineOptions): Instances {
  let opened: Promise<DuckDBInstance> | undefined;
  let users = 0;

  /** Where it fails, the next user tries again. */
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
      // From now on, as others may give theirs back meanwhile.
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
      if (users > 0 || !existsSync(options.spillFolder)) return;
      // Removes the folder.
      instance.closeSync();
      open().catch(() => undefined);
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
    // Gives memory back after a question; else the process keeps most of what the largest one took.
    allocator_background_threads: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const setup = await instance.connect();
  // Not with the others, where DuckDB shows the bound and does not keep to it.
  await setup.run(`set max_temp_directory_size = '${options.spillBytes}B'`);
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
  return instance;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
