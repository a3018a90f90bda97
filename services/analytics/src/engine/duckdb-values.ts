import { setImmediate } from 'node:timers/promises';
import { type DuckDBDataChunk, DuckDBListVector, type DuckDBResult } from '@duckdb/node-api';
import bindings, { type Vector } from '@duckdb/node-bindings';
import { SORTED_LATER } from './duckdb-dialect.ts';
import type { VisitPerson } from './engine.ts';

/** The number of integers that are visited before other work continues. */
const AT_ONCE = 100_000;
const PERSON = 0;
const EVENTS = 1;
const LABELS = 2;
const BYTES = 8;

/** Visits the rows of a result as `Engine.eachPerson` describes. Throws the reason of the signal. */
export async function visitPeople(
  result: DuckDBResult,
  visit: VisitPerson,
  signal: AbortSignal | undefined,
): Promise<void> {
  let visited = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    signal?.throwIfAborted();
    const people = chunk.getColumnVector(PERSON);
    const events = listsIn(chunk, EVENTS);
    const labels = listsIn(chunk, LABELS);
    const integers = integersIn(chunk);
    const words = new Uint32Array(integers.buffer);
    for (let row = 0; row < chunk.rowCount; row++) {
      const first = events.getEntryOffset(row);
      const count = events.getEntryLength(row);
      sortParts(integers.subarray(first, first + count));
      const visiting = visit({
        words: words.subarray(first * 2, (first + count) * 2),
        person: () => String(people.getItem(row)),
        label: (index) =>
          index < labels.getEntryLength(row)
            ? String(labels.childVector.getItem(labels.getEntryOffset(row) + index))
            : '',
      });
      if (visiting !== undefined) await visiting;
      visited += count;
      if (visited < AT_ONCE) continue;
      visited = 0;
      await setImmediate();
      signal?.throwIfAborted();
    }
  }
}

/** Returns the values of a result of 64-bit integers, by column. */
export async function columnsOf(result: DuckDBResult): Promise<BigInt64Array<ArrayBuffer>[]> {
  const chunks = await result.fetchAllChunks();
  const rows = chunks.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const columns = Array.from({ length: result.columnCount }, () => new BigInt64Array(rows));
  let row = 0;
  for (const { chunk, rowCount } of chunks) {
    for (const [column, values] of columns.entries()) {
      values.set(valuesIn(bindings.data_chunk_get_vector(chunk, column), rowCount), row);
    }
    row += rowCount;
  }
  return columns;
}

function listsIn(chunk: DuckDBDataChunk, column: number): DuckDBListVector {
  const vector = chunk.getColumnVector(column);
  if (!(vector instanceof DuckDBListVector)) throw new Error(`Column ${column} is not a list.`);
  return vector;
}

/**
 * Returns a copy of the integers of all lists. The garbage collector knows the size of a copy, but not of DuckDB's result,
 * which would otherwise stay in memory for many queries.
 */
function integersIn({ chunk }: DuckDBDataChunk): BigInt64Array<ArrayBuffer> {
  const lists = bindings.data_chunk_get_vector(chunk, EVENTS);
  return valuesIn(bindings.list_vector_get_child(lists), bindings.list_vector_get_size(lists)).slice();
}

/** Returns a view of the integers of a vector. */
function valuesIn(vector: Vector, count: number): BigInt64Array {
  const bytes = bindings.vector_get_data(vector, count * BYTES);
  return new BigInt64Array(bytes.buffer, bytes.byteOffset, count);
}

/** Sorts the integers between -1s in place. The query has sorted longer lists, on threads of DuckDB. */
function sortParts(integers: BigInt64Array): void {
  let from = 0;
  while (from < integers.length) {
    const separator = integers.indexOf(-1n, from);
    const to = separator === -1 ? integers.length : separator;
    if (to - from <= SORTED_LATER) integers.subarray(from, to).sort();
    from = to + 1;
  }
}
