import { setImmediate } from 'node:timers/promises';
import { PeopleTable } from './people-table.ts';
import { SECTIONS, type Section, type Timeline } from './sections.ts';

/** The events of a person. */
export interface PersonTimes {
  /** Milliseconds since 1970. */
  times: Float64Array;
  /** The mark of each event. Absent if all marks are 1. */
  marks: Uint32Array | undefined;
  /** The end of the events of each list. Those of a list are in the order of time. */
  ends: Uint32Array;
}

/** A visit that may take long returns a promise. */
export type VisitTimes = (person: PersonTimes) => Promise<void> | void;

/** The number of events that are grouped at once. */
const EVENTS_AT_ONCE = 500_000;
/** The number of events that are visited before other work continues. */
const VISITED_AT_ONCE = 100_000;
/** The size of new memory for a group, as a factor, because later groups are about as large. */
const SPARE = 1.25;
const NONE = -1;

/**
 * Visits the people who have events in any of some lists, in no order. Each list has timelines of different events. Events
 * of ids in `joined` are left out: `gatherEvents` returns those of their persons. The arguments of a visit are valid until
 * it ends.
 */
export async function eachPersonIn(
  lists: readonly (readonly Timeline[])[],
  joined: PeopleTable | undefined,
  visit: VisitTimes,
  signal: AbortSignal,
): Promise<void> {
  const events = lists.flat().reduce((sum, { events: of }) => sum + of.reduce((all, one) => all + one, 0), 0);
  const groups = Math.min(SECTIONS, Math.max(1, Math.ceil(events / EVENTS_AT_ONCE)));
  const firstOf = (group: number) => Math.floor((group * SECTIONS) / groups);
  const read = (group: number) => {
    const [from, to] = [firstOf(group), firstOf(group + 1)];
    return Promise.all(
      lists.map(async (list) => (await Promise.all(list.map((one) => one.read(from, to)))).flat()),
    );
  };
  const grouping = createGrouping(lists.length);
  let next = read(0);
  for (let group = 0; group < groups; group++) {
    const sections = await next;
    // Reads during the visits. An error is thrown by the next turn.
    next = group + 1 < groups ? read(group + 1) : next;
    next.catch(() => undefined);
    signal.throwIfAborted();
    await visitGroup(grouping(sections, joined), visit, signal);
  }
}

/** Events in the order of people, then of lists. */
interface Grouped {
  people: number;
  lists: number;
  times: Float64Array;
  marks: Uint32Array | undefined;
  /** The end of the events of each person and list. */
  ends: Uint32Array;
}

/** Returns a function that groups the sections of each list by person, without joined ids. It reuses its memory. */
function createGrouping(lists: number) {
  let numbers = new Int32Array();
  let times = new Float64Array();
  let marks = new Uint32Array();

  return (sections: readonly (readonly Section[])[], joined: PeopleTable | undefined): Grouped => {
    const all = sections.flatMap((own, list) => own.map((section) => ({ section, list })));
    const rows = all.reduce((sum, { section }) => sum + section.ends.length, 0);
    if (numbers.length < rows) numbers = new Int32Array(Math.ceil(rows * SPARE));
    const table = new PeopleTable();
    /** Calls `work` for each section with the numbers of its people. */
    const each = (work: (section: Section, own: Int32Array, list: number) => void) => {
      let row = 0;
      for (const { section, list } of all) {
        work(section, numbers.subarray(row, row + section.ends.length), list);
        row += section.ends.length;
      }
    };
    each((section, own) => numberPeople(section, own, table, joined));
    const places = new Uint32Array(table.size * lists + 1);
    each((section, own, list) => countEvents(section, own, places.subarray(list + 1), lists));
    for (let place = 1; place < places.length; place++) {
      places[place] = (places[place] ?? 0) + (places[place - 1] ?? 0);
    }
    const total = places.at(-1) ?? 0;
    const hasMarks = all.some(({ section }) => section.marks !== undefined);
    if (times.length < total) times = new Float64Array(Math.ceil(total * SPARE));
    if (hasMarks && marks.length < total) marks = new Uint32Array(Math.ceil(total * SPARE));
    each((section, own, list) => {
      const from = places.subarray(list);
      // Afterwards, each place is the end of its events.
      placeEvents(section, own, { places: from, lists, times, marks: hasMarks ? marks : undefined });
    });
    const ends = places.subarray(0, places.length - 1);
    sortRuns(times, hasMarks ? marks : undefined, ends);
    return { people: table.size, lists, times, marks: hasMarks ? marks : undefined, ends };
  };
}

// Each loop over the rows of a section is a function, because V8 leaves optimized code at the end of a nested one.

function numberPeople(
  { people }: Section,
  numbers: Int32Array,
  table: PeopleTable,
  joined: PeopleTable | undefined,
): void {
  for (let row = 0; row < numbers.length; row++) {
    const low = people[row * 2] ?? 0;
    const high = people[row * 2 + 1] ?? 0;
    const isJoined = joined !== undefined && joined.find(low, high) !== NONE;
    numbers[row] = isJoined ? NONE : table.add(low, high);
  }
}

function countEvents({ ends }: Section, numbers: Int32Array, counts: Uint32Array, lists: number): void {
  let start = 0;
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row] ?? NONE;
    const end = ends[row] ?? 0;
    if (number !== NONE) counts[number * lists] = (counts[number * lists] ?? 0) + end - start;
    start = end;
  }
}

interface Target {
  /** The place of the next event of each person, in every `lists` elements. */
  places: Uint32Array;
  lists: number;
  times: Float64Array;
  marks: Uint32Array | undefined;
}

function placeEvents(
  { ends, times, marks, base }: Section,
  numbers: Int32Array,
  { places, lists, ...to }: Target,
): void {
  let event = 0;
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row] ?? NONE;
    const end = ends[row] ?? 0;
    if (number === NONE) {
      event = end;
      continue;
    }
    let place = places[number * lists] ?? 0;
    for (; event < end; event++, place++) {
      to.times[place] = base + (times[event] ?? 0);
      if (to.marks !== undefined) to.marks[place] = marks?.[event] ?? 1;
    }
    places[number * lists] = place;
  }
}

/** Sorts the events of each person and list by time. Most already are, because files are in the order of days. */
function sortRuns(times: Float64Array, marks: Uint32Array | undefined, ends: Uint32Array): void {
  let start = 0;
  for (const end of ends) {
    if (!isSorted(times, start, end)) {
      if (marks === undefined) times.subarray(start, end).sort();
      else sortTogether(times.subarray(start, end), marks.subarray(start, end));
    }
    start = end;
  }
}

function isSorted(times: Float64Array, start: number, end: number): boolean {
  for (let event = start + 1; event < end; event++) {
    if ((times[event] ?? 0) < (times[event - 1] ?? 0)) return false;
  }
  return true;
}

function sortTogether(times: Float64Array, marks: Uint32Array): void {
  const [oldTimes, oldMarks] = [times.slice(), marks.slice()];
  const order = Uint32Array.from(times.keys()).sort(
    (one, other) => (oldTimes[one] ?? 0) - (oldTimes[other] ?? 0),
  );
  for (const [to, from] of order.entries()) {
    times[to] = oldTimes[from] ?? 0;
    marks[to] = oldMarks[from] ?? 0;
  }
}

async function visitGroup(
  { people, lists, times, marks, ends }: Grouped,
  visit: VisitTimes,
  signal: AbortSignal,
): Promise<void> {
  const own = new Uint32Array(lists);
  let visited = 0;
  for (let person = 0, start = 0; person < people; person++) {
    for (let list = 0; list < lists; list++) own[list] = (ends[person * lists + list] ?? 0) - start;
    const end = start + (own[lists - 1] ?? 0);
    const visiting = visit({
      times: times.subarray(start, end),
      marks: marks?.subarray(start, end),
      ends: own,
    });
    if (visiting !== undefined) await visiting;
    visited += end - start;
    start = end;
    if (visited < VISITED_AT_ONCE) continue;
    visited = 0;
    await setImmediate();
    signal.throwIfAborted();
  }
}
