import type { Database } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import type { NewFile } from '../rows/contents.ts';
import type { Position } from '../rows/file-keys.ts';
import type { Place } from '../rows/row.ts';
import {
  duplicateEvents,
  eventDeadLetters,
  eventProgress,
  eventSegments,
  seenDays,
  seenEvents,
} from '../schema/index.ts';
import { insertFiles } from '../schema/insert-files.ts';
import { type KeyedPlace, type KeyedRecord, recordOf } from './event-key.ts';

type Db = Database['drizzle'];

/** Consecutive records of a partition that are written to files together. Times are the records' log timestamps. */
export interface Segment extends Position {
  lastOffset: bigint;
  earliestAt: number;
  latestAt: number;
  /** Whether all its files are stored. */
  isStored: boolean;
}

export interface SegmentContents {
  files: readonly NewFile[];
  events: number;
  duplicates: number;
}

/** How far a partition has been read. */
export interface Progress {
  partition: number;
  nextOffset: bigint;
  /** When the last event read was accepted. */
  acceptedAt: string;
}

type PlaceAndTime = Place & { at: string };

/** All that is stored about an event. */
export interface EventHistory {
  first: PlaceAndTime | undefined;
  duplicates: PlaceAndTime[];
  deadLetters: (PlaceAndTime & { reason: string })[];
}

/** The place of a record in the log. It includes the log timestamp, because a recreated topic reuses offsets. */
export interface DeadLetterPlace extends Place {
  recordedAt: number;
}

/** All SQL of the event archive. */
export interface EventsStore {
  /**
   * Returns the segments that contain this offset, of at most 50 read. There are several if a topic was recreated.
   */
  segmentsAt(partition: number, offset: bigint): Promise<Segment[]>;
  /** Returns the segment of a record, if one has begun. */
  findSegment(partition: number, record: { offset: bigint; timestamp: number }): Promise<Segment | undefined>;
  /** Returns the segments that begin within another one and may share records with it, at most 50, by offset. */
  segmentsWithin(segment: Omit<Segment, 'isStored'>): Promise<Segment[]>;
  /** Begins a segment, and returns it as its first writer defined it. */
  beginSegment(wanted: Omit<Segment, 'isStored'>): Promise<Segment>;
  /** Marks a segment as stored. From then on its files are read. */
  markStored(segment: Segment, contents: SegmentContents): Promise<void>;
  /**
   * Inserts the places of new events, and returns how many were inserted. Of two events with the same key, the first
   * counts.
   */
  insertSeen(records: readonly KeyedRecord[]): Promise<number>;
  /** Returns the first places of events, by key. */
  findSeen(keys: readonly string[]): Promise<Map<string, Omit<KeyedPlace, 'key'>>>;
  insertDuplicates(events: readonly KeyedPlace[]): Promise<void>;
  hasDeadLetter(place: DeadLetterPlace): Promise<boolean>;
  insertDeadLetter(place: DeadLetterPlace, letter: { key: string | null; reason: string }): Promise<void>;
  /** Moves a partition's progress forward, or resets it for a recreated topic. */
  saveProgress(progress: {
    partition: number;
    nextOffset: bigint;
    recordedAt: number;
    acceptedAt: number;
  }): Promise<void>;
  readProgress(): Promise<Progress[]>;
  /** Reads at most 201 rows. */
  findHistory(key: string): Promise<EventHistory>;
}

type PlaceRow = {
  log_partition: number;
  log_offset: number | bigint;
  log_line: number;
};

interface SegmentRow extends Record<string, unknown> {
  log_partition: number;
  first_offset: number | bigint;
  first_at: number | bigint;
  last_offset: number | bigint;
  earliest_at: number | bigint;
  latest_at: number | bigint;
  is_stored: boolean;
}

const MAX_NEAR_SEGMENTS = 50;
const MAX_HISTORY = 100;
const CURRENT_DAY = sql`(select max(day) from ${seenDays})`;

export function createEventsStore(db: Db): EventsStore {
  const segmentColumns = sql`log_partition, first_offset, first_at, last_offset, earliest_at, latest_at,
    stored_at is not null as is_stored`;
  const placeColumns = sql`log_partition, log_offset, log_line`;
  const segmentsEndingAfter = (partition: number, offset: bigint) =>
    sql`${eventSegments} where log_partition = ${partition} and last_offset >= ${String(offset)}`;

  return {
    async segmentsAt(partition, offset) {
      const rows = await db.execute<SegmentRow>(sql`
        select ${segmentColumns} from (
          select * from ${segmentsEndingAfter(partition, offset)} order by last_offset limit ${MAX_NEAR_SEGMENTS}
        ) as near
        where first_offset <= ${String(offset)} order by first_at desc`);
      return rows.map(segmentOf);
    },

    async findSegment(partition, { offset, timestamp }) {
      const [row] = await db.execute<SegmentRow>(sql`
        select ${segmentColumns} from ${segmentsEndingAfter(partition, offset)}
          and first_offset <= ${String(offset)} and ${timestamp} between earliest_at and latest_at
        order by last_offset limit 1`);
      return row && segmentOf(row);
    },

    async segmentsWithin({ partition, firstOffset, lastOffset, earliestAt, latestAt }) {
      const rows = await db.execute<SegmentRow>(sql`
        select ${segmentColumns} from ${eventSegments}
        where log_partition = ${partition}
          and first_offset > ${String(firstOffset)} and first_offset <= ${String(lastOffset)}
          and earliest_at <= ${latestAt} and latest_at >= ${earliestAt}
        order by first_offset limit ${MAX_NEAR_SEGMENTS}`);
      return rows.map(segmentOf);
    },

    async beginSegment({ partition, firstOffset, firstAt, lastOffset, earliestAt, latestAt }) {
      await db.execute(sql`
        insert into ${eventSegments} (log_partition, first_offset, first_at, last_offset, earliest_at, latest_at)
        values (${partition}, ${String(firstOffset)}, ${firstAt}, ${String(lastOffset)}, ${earliestAt}, ${latestAt})
        on conflict do nothing`);
      const [row] = await db.execute<SegmentRow>(sql`
        select ${segmentColumns} from ${eventSegments}
        where log_partition = ${partition} and first_offset = ${String(firstOffset)} and first_at = ${firstAt}`);
      if (row === undefined) throw new Error(`segment of events/${partition} at ${firstOffset} not found`);
      return segmentOf(row);
    },

    async markStored({ partition, firstOffset, firstAt }, contents) {
      await db.execute(sql`
        with marked as (
          update ${eventSegments} set stored_at = now(), files = ${contents.files.length},
            events = ${contents.events}, duplicates = ${contents.duplicates}
          where log_partition = ${partition} and first_offset = ${String(firstOffset)} and first_at = ${firstAt}
            and stored_at is null
          returning 1
        ) ${insertFiles(contents.files, sql`exists (select 1 from marked)`)}`);
    },

    async insertSeen(records) {
      const { count } = await db.execute(sql`
        with given as materialized (select * from ${rowsOf(records)}),
        -- The rows of earlier days do not change, so that those missing here stay missing.
        known as materialized (
          select event_key from ${seenEvents}
          where event_key = any((select array_agg(event_key) from given)::uuid[]) and day < ${CURRENT_DAY}
        )
        insert into ${seenEvents} (event_key, ${placeColumns}, accepted_at, day)
        select given.*, ${CURRENT_DAY} from given
        where event_key not in (select event_key from known)
        -- In one order everywhere, so that concurrent writers do not deadlock.
        order by event_key, log_offset, log_line
        on conflict do nothing`);
      return count;
    },

    async findSeen(keys) {
      const rows = await db.execute<PlaceRow & { event_key: string; at: string }>(sql`
        select event_key, ${placeColumns}, accepted_at as at from ${seenEvents}
        where event_key = any(${arrayOf(keys)}::uuid[])`);
      return new Map(
        rows.map((row) => [digits(row.event_key), { ...placeOf(row), acceptedAt: Date.parse(row.at) }]),
      );
    },

    async insertDuplicates(events) {
      await db.execute(sql`
        insert into ${duplicateEvents} (event_key, ${placeColumns}, accepted_at, day)
        select given.*, ${CURRENT_DAY} from ${rowsOf(events.map(recordOf))} on conflict do nothing`);
    },

    async hasDeadLetter({ partition, offset, line, recordedAt }) {
      const rows = await db.execute(sql`
        select 1 from ${eventDeadLetters}
        where log_partition = ${partition} and log_offset = ${String(offset)} and log_line = ${line}
          and recorded_at = ${recordedAt}`);
      return rows.length > 0;
    },

    async insertDeadLetter({ partition, offset, line, recordedAt }, { key, reason }) {
      await db.execute(sql`
        insert into ${eventDeadLetters} (${placeColumns}, recorded_at, event_key, reason)
        values (${partition}, ${String(offset)}, ${line}, ${recordedAt}, ${key}, ${reason})
        on conflict do nothing`);
    },

    async saveProgress({ partition, nextOffset, recordedAt, acceptedAt }) {
      await db.execute(sql`
        insert into ${eventProgress} as known (log_partition, next_offset, recorded_at, accepted_at)
        values (${partition}, ${String(nextOffset)}, ${recordedAt}, ${new Date(acceptedAt).toISOString()})
        on conflict (log_partition) do update set next_offset = excluded.next_offset,
          recorded_at = excluded.recorded_at, accepted_at = excluded.accepted_at
        where excluded.next_offset > known.next_offset or excluded.recorded_at > known.recorded_at`);
    },

    async readProgress() {
      const rows = await db
        .select({
          partition: eventProgress.logPartition,
          nextOffset: eventProgress.nextOffset,
          acceptedAt: eventProgress.acceptedAt,
        })
        .from(eventProgress);
      return rows.map((row) => ({
        partition: row.partition,
        nextOffset: BigInt(row.nextOffset),
        acceptedAt: new Date(row.acceptedAt).toISOString(),
      }));
    },

    async findHistory(key) {
      const [first] = await db.execute<PlaceRow & { at: string }>(sql`
        select ${placeColumns}, accepted_at as at from ${seenEvents} where event_key = ${key}`);
      const duplicates = await db.execute<PlaceRow & { at: string }>(sql`
        -- One that was read again on another day is there twice.
        select distinct on (${placeColumns}) ${placeColumns}, accepted_at as at from ${duplicateEvents}
        where event_key = ${key} order by ${placeColumns} limit ${MAX_HISTORY}`);
      const deadLetters = await db.execute<PlaceRow & { at: number | bigint; reason: string }>(sql`
        select ${placeColumns}, recorded_at as at, reason from ${eventDeadLetters} where event_key = ${key}
        order by recorded_at, ${placeColumns} limit ${MAX_HISTORY}`);
      return {
        first: first && placeAndTime(first, first.at),
        duplicates: duplicates.map((row) => placeAndTime(row, row.at)),
        deadLetters: deadLetters.map((row) => ({
          ...placeAndTime(row, Number(row.at)),
          reason: row.reason,
        })),
      };
    },
  };
}

/** Returns events as rows of key, place and time of acceptance. */
function rowsOf(records: readonly KeyedRecord[]) {
  const found = records.filter(({ lines }) => lines.length > 0);
  const column = (of: (record: KeyedRecord) => string) => arrayOf(found.map(of));
  const repeated = (of: (record: KeyedRecord) => number | bigint) =>
    column((record) => `${of(record)},`.repeat(record.lines.length).slice(0, -1));
  return sql`(
    select event_key, log_partition, log_offset, log_line, timestamptz 'epoch' + accepted * interval '1 ms'
    from unnest(
      ${column(({ keys }) => keys)}::uuid[], ${repeated(({ partition }) => partition)}::integer[],
      ${repeated(({ offset }) => offset)}::bigint[], ${column(({ lines }) => lines.join())}::integer[],
      ${repeated(({ acceptedAt }) => acceptedAt)}::bigint[]
    ) as given (event_key, log_partition, log_offset, log_line, accepted)
  ) as given`;
}

/** Formats values without punctuation as a PostgreSQL array, in a fraction of the driver's time. */
function arrayOf(values: readonly string[]) {
  return sql`${`{${values.join()}}`}::text`;
}

function segmentOf(row: SegmentRow): Segment {
  return {
    partition: row.log_partition,
    firstOffset: BigInt(row.first_offset),
    firstAt: Number(row.first_at),
    lastOffset: BigInt(row.last_offset),
    earliestAt: Number(row.earliest_at),
    latestAt: Number(row.latest_at),
    isStored: row.is_stored,
  };
}

function placeOf(row: PlaceRow): Place {
  return { partition: row.log_partition, offset: BigInt(row.log_offset), line: row.log_line };
}

function placeAndTime(row: PlaceRow, at: string | number): PlaceAndTime {
  return { ...placeOf(row), at: new Date(at).toISOString() };
}

function digits(uuid: string): string {
  return uuid.replaceAll('-', '');
}
