import { type FileHandle, open, writeFile } from 'node:fs/promises';

/** The rows of a query: the hash of a person, the time of an event, and its mark, in the order of hashes and times. */
export type TimelineRows = readonly BigInt64Array<ArrayBuffer>[];

/** The events of the people with some hashes. */
export interface Section {
  /** The hash of each person, as two words, of which the low one is first. A person may occur more than once. */
  people: Uint32Array;
  /** The end of each person's events. */
  ends: Uint32Array;
  /** The time of each event in milliseconds since `base`. */
  times: Uint32Array | Float64Array;
  /** The mark of each event. Absent if it is 1. */
  marks?: Uint32Array;
  /** Milliseconds since 1970. */
  base: number;
}

/** Memory that grows as needed. Reusing it saves the collection of garbage. */
export interface Scratch {
  buffer: ArrayBuffer;
}

/** Events by person, in sections by hash that are read one after the other. */
export interface Timeline {
  /** The number of events of each section. */
  events: readonly number[];
  /** Reads the sections from one to before another. They may use the memory of `scratch`. */
  read(from: number, to: number, scratch?: Scratch): Promise<Section[]>;
}

/** The number of sections. Their hashes begin with different bits. */
export const SECTIONS = 32;
const SECTION_SHIFT = 27;
const WORD = 2 ** 32;
const BYTES = 4;
const WIDE_BYTES = 8;
/** The size of new scratch memory, as a factor. */
const SPARE = 1.5;

/** Base, bytes of a time and of a mark, then the people and events of each section, as 64-bit numbers. */
const HEADER = 3 + SECTIONS * 2;
const HEADER_BYTES = HEADER * WIDE_BYTES;

export const sectionOf = (highWord: number): number => highWord >>> SECTION_SHIFT;

/** Groups rows by person. */
export function sectionsOf([hashes, instants = new BigInt64Array(), marks]: TimelineRows): Section[] {
  const words = new Uint32Array(hashes?.buffer ?? new ArrayBuffer(0));
  const { times, base } = compact(numbersIn(instants));
  const numbers = marks && Uint32Array.from(numbersIn(marks));
  const sections: Section[] = [];
  for (let section = 0, row = 0; section < SECTIONS; section++) {
    const first = row;
    while (row < times.length && sectionOf(words[row * 2 + 1] ?? 0) === section) row++;
    sections.push({
      ...peopleIn(words.subarray(first * 2, row * 2)),
      times: times.subarray(first, row),
      ...(numbers && { marks: numbers.subarray(first, row) }),
      base,
    });
  }
  return sections;
}

/** Returns the different hashes in order, and the end of the rows of each. */
function peopleIn(words: Uint32Array): Pick<Section, 'people' | 'ends'> {
  const people = new Uint32Array(words.length);
  const ends = new Uint32Array(words.length / 2);
  let count = 0;
  for (let row = 0; row < ends.length; row++) {
    const low = words[row * 2] ?? 0;
    const high = words[row * 2 + 1] ?? 0;
    if (row === 0 || low !== people[count * 2 - 2] || high !== people[count * 2 - 1]) {
      people[count * 2] = low;
      people[count * 2 + 1] = high;
      count++;
    }
    ends[count - 1] = row + 1;
  }
  return { people: people.slice(0, count * 2), ends: ends.slice(0, count) };
}

/** Converts integers without creating a BigInt for each. */
function numbersIn({ buffer, byteOffset, length }: BigInt64Array<ArrayBuffer>): Float64Array {
  const low = new Uint32Array(buffer, byteOffset, length * 2);
  const high = new Int32Array(buffer, byteOffset, length * 2);
  const numbers = new Float64Array(length);
  for (let at = 0; at < length; at++) numbers[at] = (high[at * 2 + 1] ?? 0) * WORD + (low[at * 2] ?? 0);
  return numbers;
}

/** Returns times of 32 bits since the first one, unless they are too far apart. */
function compact(all: Float64Array): Pick<Section, 'times' | 'base'> {
  let base = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < all.length; at++) {
    base = Math.min(base, all[at] ?? 0);
    last = Math.max(last, all[at] ?? 0);
  }
  if (last - base >= WORD) return { times: all, base: 0 };
  const times = new Uint32Array(all.length);
  for (let at = 0; at < times.length; at++) times[at] = (all[at] ?? 0) - base;
  return { times, base };
}

/** Returns sections in memory as a timeline. */
export const timelineOf = (sections: readonly Section[]): Timeline => ({
  events: sections.map(({ times }) => times.length),
  read: async (from, to) => sections.slice(from, to),
});

/** Writes sections to a file, where `openTimeline` reads them. */
export async function writeTimeline(path: string, sections: readonly Section[]): Promise<void> {
  const [first] = sections;
  const header = Float64Array.of(
    ...[first?.base ?? 0, first?.times.BYTES_PER_ELEMENT ?? BYTES, first?.marks ? BYTES : 0],
    ...sections.flatMap(({ ends, times }) => [ends.length, times.length]),
  );
  const bytes = sections.flatMap(({ people, ends, times, marks }) =>
    padded([times, people, ends, ...(marks ? [marks] : [])]),
  );
  await writeFile(path, [header, ...bytes].map(bytesOf));
}

const bytesOf = (array: Uint32Array | Float64Array) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Adds what makes the number of bytes a multiple of 8, so that 64-bit times can be viewed in place. */
function padded(arrays: readonly (Uint32Array | Float64Array)[]) {
  const bytes = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return bytes % WIDE_BYTES === 0 ? arrays : [...arrays, new Uint32Array(1)];
}

/** A timeline in an open file. */
export interface FileTimeline extends Timeline {
  close(): Promise<void>;
}

/** Opens a file that `writeTimeline` wrote. Throws errors of the file system. */
export async function openTimeline(path: string): Promise<FileTimeline> {
  const file = await open(path);
  try {
    const header = new Float64Array(await bytesAt(file, 0, HEADER_BYTES));
    const [base = 0, timeBytes = BYTES, markBytes = 0, ...counts] = header;
    const sizes = Array.from({ length: SECTIONS }, (_, section) => ({
      people: counts[section * 2] ?? 0,
      events: counts[section * 2 + 1] ?? 0,
    }));
    const starts = [HEADER_BYTES];
    for (const { people, events } of sizes) {
      const bytes = events * (timeBytes + markBytes) + people * (WIDE_BYTES + BYTES);
      starts.push((starts.at(-1) ?? 0) + Math.ceil(bytes / WIDE_BYTES) * WIDE_BYTES);
    }
    const startOf = (section: number) => starts[section] ?? 0;
    return {
      events: sizes.map(({ events }) => events),
      async read(from, to, scratch) {
        const buffer = await bytesAt(file, startOf(from), startOf(to) - startOf(from), scratch);
        return sizes.slice(from, to).map(({ people, events }, index) => {
          const start = startOf(from + index) - startOf(from);
          const ids = start + events * timeBytes;
          const ends = ids + people * WIDE_BYTES;
          const Times = timeBytes === WIDE_BYTES ? Float64Array : Uint32Array;
          return {
            times: new Times(buffer, start, events),
            people: new Uint32Array(buffer, ids, people * 2),
            ends: new Uint32Array(buffer, ends, people),
            ...(markBytes > 0 && { marks: new Uint32Array(buffer, ends + people * BYTES, events) }),
            base,
          };
        });
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function bytesAt(
  file: FileHandle,
  position: number,
  length: number,
  scratch: Scratch = { buffer: new ArrayBuffer(length) },
): Promise<ArrayBuffer> {
  if (scratch.buffer.byteLength < length) scratch.buffer = new ArrayBuffer(Math.ceil(length * SPARE));
  const { buffer } = scratch;
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(new Uint8Array(buffer, done), 0, length - done, position + done);
    if (bytesRead === 0) throw new Error('The file is shorter than its header says.');
    done += bytesRead;
  }
  return buffer;
}
