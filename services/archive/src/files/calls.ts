import type { Erased, Merged, MergeRule } from './merge.ts';
import type { Scan } from './scan.ts';

/** A file, as its key and its size in bytes. */
export interface FileRef {
  key: string;
  bytes: number;
}

/** Returns the properties of a file that a thread needs. */
export const refOf = ({ key, bytes }: FileRef): FileRef => ({ key, bytes });

/** The calls to a thread that merging, scanning and erasing files need. */
export interface FileCalls {
  /** Returns undefined if one of the files was deleted. */
  merge(files: FileRef[], rule: MergeRule): Promise<Merged[] | undefined>;
  /** Whether a file has rows to erase; undefined if it was deleted. */
  hasErased(file: FileRef, erased: Erased): Promise<boolean | undefined>;
  /** Returns the contents of a file; undefined if it was deleted. */
  scan(file: FileRef): Promise<Scan | undefined>;
}
