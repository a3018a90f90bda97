import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ArchiveFileRecord } from '@switchboard/contracts';
import type { Answer } from './analytics.ts';
import { type BenchQuestion, valuesOf } from './questions.ts';

export interface Hand {
  ask(question: BenchQuestion): Promise<Map<string, number>>;
  close(): void;
}

/** Opens a new engine. Each query gets a connection to it. */
export async function openHand(
  records: readonly ArchiveFileRecord[],
  folder: string,
  memoryBytes: number,
): Promise<Hand> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: `${memoryBytes}B`,
    temp_directory: join(folder, '..', 'spill'),
    preserve_insertion_order: 'false',
  });
  return {
    async ask({ byHand, project }) {
      const own = records.filter((record) => record.project === null || record.project === project);
      const paths = own.map(({ key }) => `'${join(folder, key)}'`).join(', ');
      const connection = await instance.connect();
      const reader = await connection.runAndReadAll(byHand.replaceAll('FILES', `read_parquet([${paths}])`));
      connection.closeSync();
      return new Map(reader.getRowsJS().map(([name, place, value]) => [`${name} ${place}`, Number(value)]));
    },
    close: () => instance.closeSync(),
  };
}

/** Throws if the result of analytics and the one by hand differ. */
export function compare({ name }: BenchQuestion, answer: Answer, byHand: Map<string, number>): void {
  if ('refused' in answer) return;
  const values = valuesOf(answer.report);
  for (const place of new Set([...values.keys(), ...byHand.keys()])) {
    const [one, other] = [values.get(place) ?? 0, byHand.get(place) ?? 0];
    if (Math.abs(one - other) > 1e-9 * Math.abs(one))
      throw new Error(`${name}: ${place} is ${one}, not ${other}`);
  }
}
