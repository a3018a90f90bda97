import type { JoinedIds } from './joined-ids.ts';
import type { PeopleTable } from './people-table.ts';
import { SECTIONS, type Section, sectionOf, type Timeline, timelineOf } from './sections.ts';

const NONE = -1;
/** The number of events that are read at once. */
const EVENTS_AT_ONCE = 500_000;
const SIEVE_BITS = 18;
const SIEVE_SHIFT = 32 - SIEVE_BITS;

/**
 * Returns the events of some ids as those of their persons, a timeline for each list. Undefined if there are more than
 * `most`.
 */
export async function gatherEvents(
  lists: readonly (readonly Timeline[])[],
  wanted: JoinedIds,
  most: number,
  signal: AbortSignal,
): Promise<Timeline[] | undefined> {
  const gathered: Timeline[] = [];
  const sieve = sieveOf(wanted.ids);
  let left = most;
  for (const list of lists) {
    const growing = Array.from({ length: SECTIONS }, createGrowing);
    for await (const section of sectionsIn(list, signal)) {
      left -= addWanted(section, wanted, sieve, growing);
      if (left < 0) return undefined;
    }
    gathered.push(timelineOf(growing.map((one) => one.section())));
  }
  return gathered;
}

/** Adds the people with events in some lists. */
export async function addPeopleIn(
  lists: readonly (readonly Timeline[])[],
  joined: JoinedIds,
  people: PeopleTable,
  signal: AbortSignal,
): Promise<void> {
  for (const list of lists) {
    for await (const section of sectionsIn(list, signal)) addPeople(section, joined, people);
  }
}

/** Reads sections, a bounded number of events at once. The next ones are read while those before are used. */
async function* sectionsIn(timelines: readonly Timeline[], signal: AbortSignal): AsyncGenerator<Section> {
  const ranges = timelines.flatMap((timeline) =>
    rangesOf(timeline.events).map(([from, to]) => ({ timeline, from, to })),
  );
  // A range is read while the sections of the one before are used.
  const scratch = [{ buffer: new ArrayBuffer() }, { buffer: new ArrayBuffer() }];
  const read = (index: number) => {
    const range = ranges[index];
    return range?.timeline.read(range.from, range.to, scratch[index % scratch.length]);
  };
  let next = read(0);
  for (let index = 0; index < ranges.length; index++) {
    const sections = (await next) ?? [];
    signal.throwIfAborted();
    next = read(index + 1);
    // An error is thrown by the next turn.
    next?.catch(() => undefined);
    yield* sections;
  }
}

/** Divides sections into ranges of about `EVENTS_AT_ONCE` events. Empty ones are left out. */
function rangesOf(events: readonly number[]): (readonly [from: number, to: number])[] {
  const ranges: (readonly [number, number])[] = [];
  let from = 0;
  let size = 0;
  for (const [section, count] of events.entries()) {
    size += count;
    const isLast = section === events.length - 1;
    if (size < EVENTS_AT_ONCE && !isLast) continue;
    if (size > 0) ranges.push([from, section + 1]);
    [from, size] = [section + 1, 0];
  }
  return ranges;
}

// Each loop over the rows of a section is a function, because V8 leaves optimized code at the end of a nested one.

/** Adds the events of wanted ids in a section to those of their persons. Returns the number of events. */
function addWanted(
  section: Section,
  { ids, persons }: JoinedIds,
  sieve: Uint8Array,
  growing: readonly ReturnType<typeof createGrowing>[],
): number {
  const { people, ends } = section;
  let added = 0;
  for (let row = 0; row < ends.length; row++) {
    const low = people[row * 2] ?? 0;
    if (sieve[low >>> SIEVE_SHIFT] === 0) continue;
    const id = ids.find(low, people[row * 2 + 1] ?? 0);
    if (id === NONE) continue;
    const [start, end] = [row === 0 ? 0 : (ends[row - 1] ?? 0), ends[row] ?? 0];
    const high = persons[id * 2 + 1] ?? 0;
    growing[sectionOf(high)]?.add(section, start, end, persons[id * 2] ?? 0, high);
    added += end - start;
  }
  return added;
}

/** Marks the first bits of the low words of hashes, because most rows have none of them, and a table takes longer. */
function sieveOf(ids: PeopleTable): Uint8Array {
  const sieve = new Uint8Array(2 ** SIEVE_BITS);
  for (let id = 0; id < ids.size; id++) sieve[ids.low(id) >>> SIEVE_SHIFT] = 1;
  return sieve;
}

function addPeople({ people, ends }: Section, { ids, persons }: JoinedIds, table: PeopleTable): void {
  for (let row = 0; row < ends.length; row++) {
    const [low, high] = [people[row * 2] ?? 0, people[row * 2 + 1] ?? 0];
    const id = ids.find(low, high);
    if (id === NONE) table.add(low, high);
    else table.add(persons[id * 2] ?? 0, persons[id * 2 + 1] ?? 0);
  }
}
/** Returns a section that grows. */
function createGrowing() {
  let people = new Uint32Array(2);
  let ends = new Uint32Array(1);
  let times = new Float64Array(1);
  let marks: Uint32Array | undefined;
  let rows = 0;
  let events = 0;
  return {
    /** Adds some events of a section as those of a person. */
    add(from: Section, start: number, end: number, low: number, high: number) {
      if (rows === ends.length) {
        ends = grown(ends, new Uint32Array(rows * 2));
        people = grown(people, new Uint32Array(rows * 4));
      }
      const needed = events + end - start;
      if (needed > times.length) {
        times = grown(times, new Float64Array(needed * 2));
        if (marks !== undefined) marks = grown(marks, new Uint32Array(needed * 2));
      }
      if (from.marks !== undefined) marks ??= new Uint32Array(times.length).fill(1);
      for (let event = start; event < end; event++, events++) {
        times[events] = (from.times[event] ?? 0) + from.base;
        if (marks !== undefined) marks[events] = from.marks?.[event] ?? 1;
      }
      people[rows * 2] = low;
      people[rows * 2 + 1] = high;
      ends[rows++] = events;
    },
    section: (): Section => ({
      people: people.subarray(0, rows * 2),
      ends: ends.subarray(0, rows),
      times: times.subarray(0, events),
      ...(marks && { marks: marks.subarray(0, events) }),
      base: 0,
    }),
  };
}

/** Copies an array to the beginning of a larger one. */
function grown<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
