import { Readable } from 'node:stream';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { UsageError } from '../../terminal/terminal.ts';

/** The rows of a group are in memory together. */
const MAX_ROW_GROUP_BYTES = 1_000_000_000n;
const ROWS_AT_ONCE = 500;

/** Opens a Parquet file as lines of JSON, one a row. Reading throws UsageError. */
export const openParquet = (path: string): Readable => Readable.from(linesIn(path), { objectMode: false });

async function* linesIn(path: string): AsyncGenerator<Buffer> {
  const file = await asyncBufferFromFile(path);
  const metadata = await readable(() => parquetMetadataAsync(file));
  let rowStart = 0;
  for (const { num_rows, total_byte_size } of metadata.row_groups) {
    if (total_byte_size > MAX_ROW_GROUP_BYTES) {
      throw new UsageError(
        `a row group has more than ${MAX_ROW_GROUP_BYTES / 1_000_000n} MB; write the file with smaller ones`,
      );
    }
    const rowEnd = rowStart + Number(num_rows);
    const rows = await readable(() => parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors }));
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const lines = rows.slice(start, start + ROWS_AT_ONCE).map((row) => `${JSON.stringify(row, jsonOf)}\n`);
      yield Buffer.from(lines.join(''));
    }
    rowStart = rowEnd;
  }
}

/** Returns a value that JSON has. Times are ISO texts already. */
function jsonOf(_: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** Throws UsageError for a damaged file. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw error;
    throw new UsageError(`cannot be read as Parquet (${error instanceof Error ? error.message : error})`);
  }
}
