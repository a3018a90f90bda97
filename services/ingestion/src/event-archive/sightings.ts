import type { Database } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { type ArchivedEvent, eventKey, isSamePlace, type Place } from './archived-event.ts';
import { duplicates, sightings } from './schema.ts';

export type PlaceRow = {
  log_partition: number;
  log_offset: number | bigint;
  log_line: number;
};

/** Remembers where each event was seen first. */
export function createSightings({ drizzle }: Pick<Database, 'drizzle'>) {
  /**
   * Tells of each event whether this is the first place it was seen at, and remembers it where it is not. The same
   * place seen again, after a crash, gets the same answer.
   */
  async function see(events: readonly ArchivedEvent[]): Promise<boolean[]> {
    if (events.length === 0) return [];
    const keys = events.map((event) => eventKey(event.projectId, event.eventId));
    const candidates = new Map<string, ArchivedEvent>();
    for (const [index, event] of events.entries()) {
      const key = keys[index] ?? '';
      if (!candidates.has(key)) candidates.set(key, event);
    }
    const firsts = await firstPlaces(candidates);
    const isFirst = events.map((event, index) => {
      const first = firsts.get(keys[index] ?? '');
      return first !== undefined && isSamePlace(first, event);
    });
    const again = events.flatMap((event, index) =>
      isFirst[index] ? [] : [[keys[index] ?? '', event] as const],
    );
    if (again.length > 0) {
      await drizzle.execute(sql`
        insert into ${duplicates} (event_key, log_partition, log_offset, log_line, accepted_at)
        select * from ${given(again)} on conflict do nothing`);
    }
    return isFirst;
  }

  async function firstPlaces(candidates: Map<string, ArchivedEvent>): Promise<Map<string, Place>> {
    const places = new Map<string, Place>();
    // Once, unless a sighting's seven days end between the two statements.
    for (let left = [...candidates]; left.length > 0; left = left.filter(([key]) => !places.has(key))) {
      const inserted = await drizzle.execute<{ event_key: string }>(sql`
        insert into ${sightings} (event_key, log_partition, log_offset, log_line, accepted_at)
        -- In one order everywhere, so that two writers never wait for each other.
        select * from ${given(left)} order by 1
        on conflict do nothing returning event_key`);
      for (const row of inserted) {
        const key = digits(row.event_key);
        const place = candidates.get(key);
        if (place !== undefined) places.set(key, place);
      }
      const known = left.filter(([key]) => !places.has(key)).map(([key]) => key);
      if (known.length === 0) break;
      const found = await drizzle.execute<PlaceRow & { event_key: string }>(sql`
        select event_key, log_partition, log_offset, log_line from ${sightings}
        where event_key = any(${sql.param(known)}::text[]::uuid[])`);
      for (const row of found) places.set(digits(row.event_key), placeOf(row));
    }
    return places;
  }

  return { see };
}

function given(events: readonly (readonly [key: string, event: ArchivedEvent])[]) {
  const column = (of: (event: ArchivedEvent) => string) =>
    sql`${sql.param(events.map(([, event]) => of(event)))}::text[]`;
  return sql`unnest(
    ${sql.param(events.map(([key]) => key))}::text[]::uuid[],
    ${column(({ partition }) => String(partition))}::integer[],
    ${column(({ offset }) => String(offset))}::bigint[],
    ${column(({ line }) => String(line))}::integer[],
    ${column(({ receivedAt }) => new Date(receivedAt).toISOString())}::timestamptz[]
  )`;
}

export function placeOf(row: PlaceRow): Place {
  return { partition: row.log_partition, offset: BigInt(row.log_offset), line: row.log_line };
}

function digits(uuid: string): string {
  return uuid.replaceAll('-', '');
}
