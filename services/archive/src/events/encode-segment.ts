import { ANY_PROJECT, type Contents, type Coverage, collectContents } from '../rows/contents.ts';
import { encodeEvents } from '../rows/encode.ts';
import { dayOf, fileKey, ownFileKey, type Position } from '../rows/file-keys.ts';
import { openBytes } from '../rows/read.ts';
import { compareRows, type Row } from '../rows/row.ts';
import { type PackedEvents, rowsOf } from './packed-events.ts';

/** The input for the files of a segment. */
export interface SegmentRows {
  position: Position;
  records: SegmentRecord[];
  /** Files of an earlier attempt, with rows that the log no longer has. */
  existing: Uint8Array[];
}

export interface SegmentRecord {
  events: PackedEvents;
  /** Lines that are not archived because they are duplicates. */
  without: number[];
}

/** A file that is not stored yet. */
export interface EncodedFile extends Contents, Coverage {
  key: string;
  /** The UTC day of acceptance. */
  day: string;
  content: Uint8Array;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * A project with at least this number of rows in a segment gets its own file. Changing it leaves files of crashed
 * writers behind.
 */
const OWN_FILE_ROWS = 10_000;

/** Sorts the rows of a segment and encodes its files. */
export async function encodeSegment({ position, records, existing }: SegmentRows): Promise<EncodedFile[]> {
  const events = records.flatMap((record) => rowsOf(record.events, record.without));
  const all = existing.length === 0 ? events : await withExisting(events, existing);
  return filesOf(position, all).map(({ key, projectId, rows }) => {
    const contents = collectContents();
    for (const event of rows) contents.add(event);
    const day = dayOf(rows[0]?.receivedAt ?? 0);
    const content = encodeEvents(rows.sort(compareRows));
    return { key, day, ...ANY_PROJECT, projectId, ...contents.get(), content };
  });
}

function filesOf(position: Position, events: readonly Row[]) {
  return [...Map.groupBy(events, ({ receivedAt }) => Math.floor(receivedAt / DAY_MS))].flatMap(
    ([day, ofDay]) => {
      const receivedAt = day * DAY_MS;
      const own = [];
      const shared: Row[] = [];
      for (const [projectId, rows] of Map.groupBy(ofDay, (event) => event.projectId)) {
        if (rows.length < OWN_FILE_ROWS) for (const row of rows) shared.push(row);
        else own.push({ key: ownFileKey(position, { projectId, receivedAt }), projectId, rows });
      }
      if (shared.length === 0) return own;
      return [...own, { key: fileKey(position, receivedAt), projectId: null, rows: shared }];
    },
  );
}

async function withExisting(events: readonly Row[], existing: readonly Uint8Array[]): Promise<Row[]> {
  const all = new Map(events.map((event) => [`${event.offset} ${event.line}`, event]));
  for (const file of existing) {
    for await (const rows of (await openBytes(file)).groups()) {
      for (const row of rows) all.set(`${row.offset} ${row.line}`, row);
    }
  }
  return [...all.values()];
}
