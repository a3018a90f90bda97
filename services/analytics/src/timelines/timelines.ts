import type { DuckDb } from '../engine/duckdb.ts';
import { integer, type Sql, sql } from '../engine/sql.ts';
import type { HeldFile } from '../files/cache.ts';
import { type FoundRows, type KeptRows, type RowsOf, rowsIn, type SaveRows } from '../kept/kept-rows.ts';
import { eachPersonIn, type JoinedIds, joinedEvents, type VisitTimes } from './by-person.ts';
import { PeopleTable } from './people-table.ts';
import {
  type FileTimeline,
  openTimeline,
  SECTIONS,
  sectionsOf,
  type Timeline,
  timelineOf,
  writeTimeline,
} from './sections.ts';

/** Events by person, of several queries. */
export interface Timelines {
  /** Visits the people with any of the events, in no order. */
  each(visit: VisitTimes): Promise<void>;
}

/** The files with the events of a project, and who the person of an event is. */
interface Asked {
  projectId: string;
  files: readonly HeldFile[];
  /** A relation of distinct_id and person_id. Undefined if no person has several ids. */
  personIds: Sql | undefined;
  signal: AbortSignal;
}

export interface FoundTimelines extends Pick<FoundRows, 'check' | 'release'> {
  /** Undefined if too little is kept. */
  timelines: Timelines | undefined;
}

/** Finds the timelines of each query, until `release` is called. Missing ones are computed then. */
export type FindTimelines = (asked: Asked, queries: readonly RowsOf[]) => Promise<FoundTimelines>;

/** The events of files without timelines that are read beside them, for each query. */
const MAX_REST_EVENTS = 250_000;
const MAX_OPEN_FILES = 4_000;
/** At about 30 bytes each. Ids can be chosen so that all events are in one section. */
const MAX_SECTION_EVENTS = 5_000_000;
const MAX_JOINED_IDS = 1_000_000;
/** At about 50 bytes each. */
const MAX_JOINED_EVENTS = 4_000_000;

/**
 * Keeps the events of people: of each file and query, the hash of each distinct id, with the times of its events. A query
 * selects the columns h, t and perhaps a mark in this order. Hashes have 64 bits: of 370,000 projects with ten million ids
 * each, one has two ids with the same hash.
 */
export function createTimelines({
  engine,
  kept,
}: {
  engine: Pick<DuckDb, 'integers'>;
  kept: Pick<KeptRows, 'find'>;
}): FindTimelines {
  // The order of `sectionsOf`.
  const inOrder = (rows: Sql) => sql`from (${rows}) as told order by all`;
  const sectionsFor = async (rows: Sql, signal: AbortSignal) =>
    sectionsOf(await engine.integers(inOrder(rows), signal));
  const save: SaveRows = async (rows, path, signal) => writeTimeline(path, await sectionsFor(rows, signal));

  /** Undefined if there are too many. */
  async function joinedIds(personIds: Sql, signal: AbortSignal): Promise<JoinedIds | undefined> {
    const [ids, persons] = await engine.integers(
      sql`select hash(distinct_id), hash(person_id) from ${personIds} limit ${integer(MAX_JOINED_IDS + 1)}`,
      signal,
    );
    if (ids === undefined || persons === undefined || ids.length > MAX_JOINED_IDS) return undefined;
    const table = new PeopleTable();
    const [from, to] = [new Uint32Array(ids.buffer), new Uint32Array(persons.buffer)];
    const own = new Uint32Array(to.length);
    for (let word = 0; word < from.length; word += 2) {
      const number = table.add(from[word] ?? 0, from[word + 1] ?? 0);
      own.set(to.subarray(word, word + 2), number * 2);
    }
    return { ids: table, persons: own };
  }

  async function timelinesOf(
    { personIds, signal }: Asked,
    queries: readonly RowsOf[],
    found: readonly FoundRows[],
    opened: FileTimeline[],
  ): Promise<Timelines | undefined> {
    const isLittle = found.some(
      ({ paths, restEvents }) => paths.length === 0 || restEvents > MAX_REST_EVENTS,
    );
    if (isLittle || found.reduce((sum, { paths }) => sum + paths.length, 0) > MAX_OPEN_FILES)
      return undefined;
    const joined = personIds === undefined ? undefined : await joinedIds(personIds, signal);
    if (personIds !== undefined && joined === undefined) return undefined;
    const lists: Timeline[][] = [];
    for (const [index, { paths, rest }] of found.entries()) {
      const list: Timeline[] = await openAll(paths, opened);
      const query = queries[index];
      if (rest.length > 0 && query !== undefined) {
        const events = rowsIn(rest.map(({ path }) => path));
        list.push(timelineOf(await sectionsFor(query(events), signal)));
      }
      lists.push(list);
    }
    if (joined !== undefined) {
      const added = await joinedEvents(lists, joined, MAX_JOINED_EVENTS, signal);
      if (added === undefined) return undefined;
      for (const [index, timeline] of added.entries()) lists[index]?.push(timeline);
    }
    if (largestSection(lists) > MAX_SECTION_EVENTS) return undefined;
    return { each: (visit) => eachPersonIn(lists, joined?.ids, visit, signal) };
  }

  return async (asked, queries) => {
    const found = queries.map((rowsOf) => kept.find(asked.projectId, asked.files, rowsOf, save));
    const opened: FileTimeline[] = [];
    const release = () => {
      for (const file of opened) void file.close().catch(() => undefined);
      for (const one of found) one.release();
    };
    const check = async () => {
      for (const one of found) await one.check();
    };
    try {
      return { timelines: await timelinesOf(asked, queries, found, opened), check, release };
    } catch (error) {
      try {
        await check();
      } finally {
        release();
      }
      throw error;
    }
  };
}

/** Returns the number of events of the section with the most, which are in memory at once. */
function largestSection(lists: readonly (readonly Timeline[])[]): number {
  const all = lists.flat();
  return Array.from({ length: SECTIONS }, (_, section) =>
    all.reduce((sum, { events }) => sum + (events[section] ?? 0), 0),
  ).reduce((most, one) => Math.max(most, one));
}

/** Opens files of timelines, and adds them to those that are open, also if one of them fails. */
async function openAll(paths: readonly string[], opened: FileTimeline[]): Promise<FileTimeline[]> {
  const settled = await Promise.allSettled(paths.map(openTimeline));
  const own = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  opened.push(...own);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return own;
}
