import type { Database } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import type { Place } from './archived-event.ts';
import { deadLetters, duplicates, sightings } from './schema.ts';
import { type PlaceRow, placeOf } from './sightings.ts';

type PlaceAndTime = Place & { at: string };

/** Everything that is remembered of an event. */
export interface Traces {
  first: PlaceAndTime | undefined;
  duplicates: PlaceAndTime[];
  deadLetters: (PlaceAndTime & { reason: string })[];
}

const MOST_TOLD = 100;

/** What is remembered of an event, by its key: at most 201 rows. */
export async function findTraces({ drizzle }: Pick<Database, 'drizzle'>, key: string): Promise<Traces> {
  const place = sql`log_partition, log_offset, log_line`;
  const [first] = await drizzle.execute<PlaceRow & { at: string }>(sql`
    select ${place}, accepted_at as at from ${sightings} where event_key = ${key}`);
  const others = await drizzle.execute<PlaceRow & { at: string }>(sql`
    select ${place}, accepted_at as at from ${duplicates} where event_key = ${key}
    order by log_partition, log_offset, log_line limit ${MOST_TOLD}`);
  const unreadable = await drizzle.execute<PlaceRow & { at: number | bigint; reason: string }>(sql`
    select ${place}, recorded_at as at, reason from ${deadLetters} where event_key = ${key}
    order by recorded_at, log_partition, log_offset, log_line limit ${MOST_TOLD}`);
  return {
    first: first && told(first, first.at),
    duplicates: others.map((row) => told(row, row.at)),
    deadLetters: unreadable.map((row) => ({ ...told(row, Number(row.at)), reason: row.reason })),
  };
}

function told(row: PlaceRow, at: string | number): PlaceAndTime {
  return { ...placeOf(row), at: new Date(at).toISOString() };
}
