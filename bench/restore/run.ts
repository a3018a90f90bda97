import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runRestoreTest } from '@switchboard/e2e/restore';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';

/** Backs up, drops and restores every store (docs/backup-and-upgrade.md). Throws if data is missing or duplicated. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '5432' },
      user: { type: 'string', default: 'postgres' },
    },
  });
  await runRestoreTest({
    postgres: { PGHOST: values.host, PGPORT: values.port, PGUSER: values.user },
    countRows,
    log: (line) => console.log(line),
  });
}

async function countRows(folder: string): Promise<number> {
  let rows = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.parquet')) continue;
    rows += Number((await parquetMetadataAsync(await asyncBufferFromFile(join(folder, name)))).num_rows);
  }
  return rows;
}
