import { type Contents, collectContents } from './contents.ts';
import type { OpenFile } from './read.ts';

/** The contents of an unknown file. */
export interface Survey {
  contents: Contents;
  /** The only project of the rows; null if there are several. */
  projectId: string | null;
  /** The offsets of the records that the rows come from, ascending, by partition. */
  records: [partition: number, offsets: Float64Array][];
}

/** Reads a whole file. */
export async function surveyFile(file: OpenFile): Promise<Survey> {
  const contents = collectContents();
  const projects = new Set<string>();
  const records = new Map<number, Set<number>>();
  for await (const rows of file.groups()) {
    for (const row of rows) {
      contents.add(row);
      if (projects.size < 2) projects.add(row.projectId);
      const offsets = records.get(row.partition) ?? new Set();
      records.set(row.partition, offsets.add(Number(row.offset)));
    }
  }
  const [projectId = null] = projects.size === 1 ? projects : [];
  return {
    contents: contents.get(),
    projectId,
    records: [...records].map(([partition, offsets]) => [partition, Float64Array.from(offsets).sort()]),
  };
}

/** Creates a set of records that takes one bit each where their offsets are close together. */
export function createRecordSet() {
  const blocks = new Map<string, Uint8Array>();
  const blockOf = (partition: number, offset: number) => `${partition} ${Math.floor(offset / BLOCK_BITS)}`;

  return {
    add({ records }: Survey): void {
      for (const [partition, offsets] of records) {
        for (const offset of offsets) {
          const name = blockOf(partition, offset);
          const block = blocks.get(name) ?? new Uint8Array(BLOCK_BITS / 8);
          const bit = offset % BLOCK_BITS;
          block[bit >> 3] = (block[bit >> 3] ?? 0) | (1 << (bit & 7));
          blocks.set(name, block);
        }
      }
    },
    /** Returns how many of a file's records are in the set: none, some, or all of them. */
    overlap({ records }: Survey): 'none' | 'some' | 'all' {
      let [found, all] = [0, 0];
      for (const [partition, offsets] of records) {
        for (const offset of offsets) {
          const bit = offset % BLOCK_BITS;
          const byte = blocks.get(blockOf(partition, offset))?.[bit >> 3] ?? 0;
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
