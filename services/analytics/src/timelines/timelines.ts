import type { DuckDb } from '../engine/duckdb.ts';
import { type Sql, sql } from '../engine/sql.ts';
import type { HeldFile } from '../files/cache.ts';
import { type FoundRows, type Keeping, type KeptRows, type RowsOf, rowsIn } from '../kept/kept-rows.ts';
import { eachPersonIn } from './by-person.ts';
import { type Counter, createKeptCounts, type KeptCounts } from './counts.ts';
import { addPeopleIn, gatherEvents } from './gathered.ts';
import { addChanged, createJoinedVersions, idsOf, type JoinedIds, readJoinedIds } from './joined-ids.ts';
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

/** The files with the events of a project, and who the person of an event is. */
interface Asked {
  projectId: string;
  files: readonly HeldFile[];
  /** A relation of distinct_id and person_id. Undefined if no person has several ids. */
  personIds: Sql | undefined;
  signal: AbortSignal;
}

export interface Counted<C> extends Pick<FoundRows, 'check' | 'release'> {
  /** Undefined if too little is kept, or if there is too much. Valid until `release` is called. */
  counts: C | undefined;
}

/** Counts people by their events of each query. Missing timelines are computed after `release` is called. */
export type CountPeople = <C>(
  asked: Asked,
  queries: readonly RowsOf[],
  counter: Counter<C>,
) => Promise<Counted<C>>;

interface CountPeopleOptions {
  engine: Pick<DuckDb, 'integers'>;
  kept: Pick<KeptRows, 'find'>;
  /** The share of people with new events up to which counts are updated. */
  maxChanged?: number;
}

/** A query with its kept rows. */
interface Found {
  query: RowsOf;
  rows: FoundRows;
}

/** The timelines of each query. */
type Lists = readonly (readonly Timeline[])[];

/** The events of files without timelines that are read beside them, for each query. */
const MAX_REST_EVENTS = 250_000;
const MAX_OPEN_FILES = 4_000;
/** Most people have events on several days, so that fewer files have fewer rows. A million events are in memory at once. */
const BYTES_TOGETHER = 32_000_000;
/** At about 30 bytes each. Ids can be chosen so that all events are in one section. */
const MAX_SECTION_EVENTS = 5_000_000;
/** At about 50 bytes each. */
const MAX_GATHERED_EVENTS = 4_000_000;
const MAX_CHANGED = 1 / 3;

/**
 * Keeps the events of people: of each file and query, the hash of each distinct id, with the times of its events. A query
 * selects the columns h, t and perhaps a mark in this order. Hashes have 64 bits: of 370,000 projects with ten million ids
 * each, one has two ids with the same hash.
 *
 * Keeps counts too. When a question is asked again, the people with new events, or with another person since, are taken
 * away as they were and added as they are. Everyone is counted again once files were replaced.
 */
export function createPeopleCounting({
  engine,
  kept,
  maxChanged = MAX_CHANGED,
}: CountPeopleOptions): CountPeople {
  const keptCounts = createKeptCounts();
  const versions = createJoinedVersions();

  // The order of `sectionsOf`.
  const inOrder = (rows: Sql) => sql`from (${rows}) as told order by all`;
  const sectionsFor = async (rows: Sql, signal: AbortSignal) =>
    sectionsOf(await engine.integers(inOrder(rows), signal));
  const keeping: Keeping = {
    save: async (rows, path, signal) => writeTimeline(path, await sectionsFor(rows, signal)),
    bytesTogether: BYTES_TOGETHER,
  };

  async function countAll<C>(lists: Lists, joined: JoinedIds, counter: Counter<C>, signal: AbortSignal) {
    const isJoined = joined.ids.size > 0;
    const own = isJoined ? await gatherEvents(lists, joined, MAX_GATHERED_EVENTS, signal) : [];
    if (own === undefined) return undefined;
    const all = isJoined ? together(lists, own) : lists;
    if (largestSection(all) > MAX_SECTION_EVENTS) return undefined;
    const counts = counter.empty();
    let people = 0;
    await eachPersonIn(
      all,
      isJoined ? joined.ids : undefined,
      (person) => {
        people++;
        return counter.add(counts, person, 1);
      },
      signal,
    );
    return { counts, people };
  }

  /** Updates counts. Returns false, and changes nothing, if counting everyone again may be faster. */
  async function update<C>(
    { counts, people, joined: version }: KeptCounts<C>,
    counter: Counter<C>,
    joined: JoinedIds,
    listsOf: (isAdded: boolean) => Promise<Lists>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const before = versions.idsOf(version);
    if (before === undefined) return false;
    const changed = new PeopleTable();
    addChanged(before, joined, changed);
    const added = await listsOf(true);
    await addPeopleIn(added, joined, changed, signal);
    if (changed.size === 0) return true;
    if (changed.size > people * maxChanged) return false;
    const gather = (lists: Lists, ids: JoinedIds) =>
      gatherEvents(lists, idsOf(changed, ids), MAX_GATHERED_EVENTS, signal);
    const known = await listsOf(false);
    const old = await gather(known, before);
    const stillOld = before === joined ? old : await gather(known, joined);
    const fresh = await gather(added, joined);
    if (old === undefined || stillOld === undefined || fresh === undefined) return false;
    const each = (lists: Lists, sign: 1 | -1) =>
      eachPersonIn(lists, undefined, (person) => counter.add(counts, person, sign), signal);
    await each(together([], old), -1);
    await each(together(together([], stillOld), fresh), 1);
    return true;
  }

  return async <C>(asked: Asked, queries: readonly RowsOf[], counter: Counter<C>) => {
    const { projectId, files, personIds, signal } = asked;
    const found = queries.map((query) => ({ query, rows: kept.find(projectId, files, query, keeping) }));
    const opened = new Map<string, Promise<FileTimeline>>();
    let counted: KeptCounts<C> | undefined;
    const key = keptCounts.keyOf(projectId, queries, counter);

    const openOnce = (path: string) => {
      const opening = opened.get(path) ?? openTimeline(path);
      opened.set(path, opening);
      return opening;
    };
    /** Returns the timelines of some files. */
    const listsOf = (isWanted: (file: string) => boolean) =>
      inTurn(found, async ({ query, rows }) => {
        const paths = rows.kept.filter((one) => one.files.every(isWanted)).map(({ path }) => path);
        const list: Timeline[] = await allOf(paths.map(openOnce));
        const rest = rows.rest.filter((file) => isWanted(file.key)).map(({ path }) => path);
        if (rest.length > 0) list.push(timelineOf(await sectionsFor(query(rowsIn(rest)), signal)));
        return list;
      });
    const check = async () => {
      for (const { rows } of found) await rows.check();
    };
    const release = () => {
      if (counted !== undefined) keptCounts.keep(key, counted);
      for (const opening of opened.values()) {
        void opening.then((file) => file.close()).catch(() => undefined);
      }
      for (const { rows } of found) rows.release();
    };

    async function count(): Promise<KeptCounts<C> | undefined> {
      if (isTooLittle(found)) return undefined;
      const ids = await readJoinedIds(engine, personIds, signal);
      if (ids === undefined) return undefined;
      const version = versions.versionOf(projectId, ids);
      const joined = versions.idsOf(version) ?? ids;
      const names = new Set(files.map((file) => file.key));
      const before = keptCounts.take<C>(key);
      if (before !== undefined && isApart(found, before.files, names)) {
        const listsFor = (isAdded: boolean) => listsOf((file) => !before.files.has(file) === isAdded);
        if (await update(before, counter, joined, listsFor, signal)) {
          return { ...before, files: names, joined: version };
        }
      }
      const all = await countAll(await listsOf(() => true), joined, counter, signal);
      return all && { ...all, files: names, joined: version };
    }

    try {
      counted = await count();
      return { counts: counted?.counts, check, release };
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

/** Whether reading events of files takes longer than timelines save, or there are too many files to open. */
function isTooLittle(found: readonly Found[]): boolean {
  const isLittle = found.some(({ rows }) => rows.kept.length === 0 || rows.restEvents > MAX_REST_EVENTS);
  return isLittle || found.reduce((sum, { rows }) => sum + rows.kept.length, 0) > MAX_OPEN_FILES;
}

/** Whether all counted files are among some, and no timeline has events of both counted and other files. */
function isApart(found: readonly Found[], counted: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  const isPure = ({ rows }: Found) =>
    rows.kept.every(({ files }) => files.every((file) => counted.has(file) === counted.has(files[0] ?? '')));
  return [...counted].every((file) => all.has(file)) && found.every(isPure);
}

/** Adds a timeline to each list. */
const together = (lists: Lists, added: readonly Timeline[]): Lists =>
  added.map((timeline, list) => [...(lists[list] ?? []), timeline]);

/** Returns the number of events of the section with the most, which are in memory at once. */
function largestSection(lists: Lists): number {
  const all = lists.flat();
  return Array.from({ length: SECTIONS }, (_, section) =>
    all.reduce((sum, { events }) => sum + (events[section] ?? 0), 0),
  ).reduce((most, one) => Math.max(most, one));
}

async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of all) results.push(await work(one));
  return results;
}

/** Waits for all, also if one of them fails, so that none is left behind. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
