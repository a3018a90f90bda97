import { z } from 'zod';
import { integer, type Sql, sql, TRUE, text } from '../engine/sql.ts';
import type { QueryInputs } from './query.ts';

/** A part of the people behind a value, in the order of the bytes of their ids. */
export interface Part {
  /** The id after which the part begins; null for the first. */
  after: string | null;
  limit: number;
}

const idRows = z.array(z.object({ p: z.string() }));

/** Returns the first ids of a query of `p`. */
export async function firstOf(people: Sql, { after, limit }: Part, { run }: QueryInputs): Promise<string[]> {
  const isAfter = after === null ? TRUE : sql`p > ${text(after)}`;
  const rows = await run(
    sql`select p from (${people}) as found where ${isAfter} order by p limit ${integer(limit)}`,
  );
  return idRows.parse(rows).map(({ p }) => p);
}

/** Finds the first ids among those that are added in any order. */
export function createFirstPeople({ after, limit }: Part) {
  const start = after === null ? undefined : Buffer.from(after);
  let first: Buffer[] = [];
  /** No later id is one of the first. */
  let end: Buffer | undefined;

  function keepFirst(): void {
    first = first.sort(Buffer.compare).slice(0, limit);
    if (first.length === limit) end = first.at(-1);
  }

  return {
    add(person: string): void {
      const id = Buffer.from(person);
      if (start !== undefined && Buffer.compare(id, start) <= 0) return;
      if (end !== undefined && Buffer.compare(id, end) > 0) return;
      first.push(id);
      if (first.length >= limit * 2) keepFirst();
    },
    ids(): string[] {
      keepFirst();
      return first.map(String);
    },
  };
}
