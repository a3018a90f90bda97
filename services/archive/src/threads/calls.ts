import type { ByteRange } from '@switchboard/object-store';
import type { DecodedRecord, RawRecord } from '../events/decode.ts';
import type { EncodedFile, SegmentRows } from '../events/encode-segment.ts';
import type { Erased, Merged, MergeRule } from '../files/merge.ts';
import type { Survey } from '../files/survey.ts';

/** What the service and its threads call of each other. Both sides get copies, except of buffers that are `moved`. */

/** A file by its key and its size in bytes. */
export interface FileRef {
  key: string;
  bytes: number;
}

/** Of a file, no more than a thread needs. */
export const refOf = ({ key, bytes }: FileRef): FileRef => ({ key, bytes });

export interface ThreadCalls {
  /** One result for each record. Takes the records' values. */
  decode(records: RawRecord[]): DecodedRecord[];
  /** The files of a segment. The same rows give the same bytes. */
  encode(segment: SegmentRows): Promise<EncodedFile[]>;
  /** Undefined if one of the files was deleted. */
  merge(files: FileRef[], rule: MergeRule): Promise<Merged[] | undefined>;
  /** Whether a file has rows that are erased; undefined if it was deleted. */
  hasErased(file: FileRef, erased: Erased): Promise<boolean | undefined>;
  /** What is in a file; undefined if it was deleted. */
  survey(file: FileRef): Promise<Survey | undefined>;
}

export interface OwnerCalls {
  /** Bytes of an object; undefined if it does not exist. */
  get(key: string, range: ByteRange | undefined): Promise<Uint8Array | undefined>;
}
