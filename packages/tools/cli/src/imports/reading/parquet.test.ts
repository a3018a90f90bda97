import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inputsOf } from './inputs.ts';

const ROWS = 5_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-parquet-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes the rows of a query, with several row groups. */
async function write(name: string, query: string, codec: string): Promise<string> {
  const path = join(folder, name);
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run(
      `copy (${query}) to '${path}' (format parquet, compression ${codec}, row_group_size 2048)`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return path;
}

async function read(path: string): Promise<string> {
  for await (const { open } of inputsOf([path])) return text(await open());
  throw new Error('no input');
}

it.each(['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw'])(
  'reads the rows of all row groups in order, compressed with %s',
  async (codec) => {
    const query = `select 'e' || i as uuid, '{"total":' || i || '}' as properties,
      timestamp '2025-03-01 09:30:00.123456' + to_seconds(i) as "timestamp", i::bigint as team_id,
      9007199254740993 as large, null as set_once, true as is_set, encode('ö') as bytes
      from range(${ROWS}) as rows (i)`;
    const lines = (await read(await write(`${codec}.parquet`, query, codec))).trimEnd().split('\n');
    expect(lines).toHaveLength(ROWS);
    expect(JSON.parse(lines[4_999] ?? '')).toEqual({
      uuid: 'e4999',
      properties: '{"total":4999}',
      timestamp: '2025-03-01T10:53:19.123Z',
      team_id: 4999,
      large: '9007199254740993',
      set_once: null,
      is_set: true,
      bytes: 'ö',
    });
  },
);

it('names a file that is damaged', async () => {
  const path = await write('damaged.parquet', 'select 1 as one', 'zstd');
  await writeFile(path, 'PAR1 and nothing else');
  await expect(read(path)).rejects.toThrow('cannot be read as Parquet');
});
