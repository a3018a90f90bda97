import type { ByteRange } from '@switchboard/object-store';
import type { DecodedRecord, RawRecord } from '../events/decode.ts';
import type { EncodedFile, SegmentRows } from '../events/encode-segment.ts';
import type { Erased, Merged, MergeRule } from '../files/merge.ts';
import type { Survey } from '../files/survey.ts';

/** The calls between the service and its threads. Both sides receive copies, except of buffers that are `moved`. */

/** A file, as its key and its size in bytes. */
export interface FileRef {
  key: string;
  bytes: number;
}

/** Returns the properties of a file that a thread needs. */
export const refOf = ({ key, bytes }: FileRef): FileRef => ({ key, bytes });

export interface ThreadCalls {
  /** Returns one result per record. Transfers the records' values. */
  decode(records: RawRecord[]): DecodedRecord[];
  /** Returns the files of a segment. Deterministic. */
  encode(segment: SegmentRows): Promise<EncodedFile[]>;
  /** Returns undefined if one of the files was deleted. */
  merge(files: FileRef[], rule: MergeRule): Promise<Merged[] | undefined>;
  /** Whether a file has rows to erase; undefined if it was deleted. */
  hasErased(file: FileRef, erased: Erased): Promise<boolean | undefined>;
  /** Returns the contents of a file; undefined if it was deleted. */
  survey(file: FileRef): Promise<Survey | undefined>;
}

export interface OwnerCalls {
  /** Returns the bytes of an object; undefined if it does not exist. */
  get(key: string, range: ByteRange | undefined): Promise<Uint8Array | undefined>;
}
