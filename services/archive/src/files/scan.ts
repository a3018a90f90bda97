import { type Contents, collectContents } from '../rows/contents.ts';
import type { OpenFile } from '../rows/read.ts';

/** The contents of an unknown file. */
export interface Scan {
  contents: Contents;
  /** The only project of the rows; null if there are several. */
  projectId: string | null;
  /**
   * The offsets of the records that the rows come from, ascending, by partition and ten minutes of acceptance, because
   * a recreated topic reuses offsets.
   */
  records: [group: string, offsets: Float64Array][];
}

/** Scans a whole file. */
export async function scanFile(file: OpenFile): Promise<Scan> {
  const contents = collectContents();
  const projects = new Set<string>();
  const records = new Map<string, Set<number>>();
  for await (const rows of file.groups()) {
    for (const row of rows) {
      contents.add(row);
      if (projects.size < 2) projects.add(row.projectId);
      const group = `${row.partition} ${Math.floor(row.receivedAt / GROUP_MS)}`;
      const offsets = records.get(group) ?? new Set();
      records.set(group, offsets.add(Number(row.offset)));
    }
  }
  const [projectId = null] = projects.size === 1 ? projects : [];
  return {
    contents: contents.get(),
    projectId,
    records: [...records].map(([group, offsets]) => [group, Float64Array.from(offsets).sort()]),
  };
}

/** Creates a set of records that takes one bit each where their offsets are close together. */
export function createRecordSet() {
  const blocks = new Map<string, Uint8Array>();
  const blockOf = (group: string, offset: number) => `${group} ${Math.floor(offset / BLOCK_BITS)}`;

  return {
    add({ records }: Scan): void {
      for (const [group, offsets] of records) {
        for (const offset of offsets) {
          const name = blockOf(group, offset);
          const block = blocks.get(name) ?? new Uint8Array(BLOCK_BITS / 8);
          const bit = offset % BLOCK_BITS;
          block[bit >> 3] = (block[bit >> 3] ?? 0) | (1 << (bit & 7));
          blocks.set(name, block);
        }
      }
    },
    /** Returns how many of a file's records are in the set: none, some, or all of them. */
    overlap({ records }: Scan): 'none' | 'some' | 'all' {
      let [found, all] = [0, 0];
      for (const [group, offsets] of records) {
        for (const offset of offsets) {
          const bit = offset % BLOCK_BITS;
          const byte = blocks.get(blockOf(group, offset))?.[bit >> 3] ?? 0;
          all += 1;
          if ((byte & (1 << (bit & 7))) !== 0) found += 1;
        }
      }
      if (found === 0) return 'none';
      return found === all ? 'all' : 'some';
    },
  };
}

const BLOCK_BITS = 4_096;
const GROUP_MS = 600_000;
