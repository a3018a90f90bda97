import type { DecodedRecord, RawRecord } from './decode.ts';
import type { EncodedFile, SegmentRows } from './encode-segment.ts';

/** The calls to a thread that events need. */
export interface EventCalls {
  /** Returns one result per record. Transfers the records' values. */
  decode(records: RawRecord[]): DecodedRecord[];
  /** Returns the files of a segment. Deterministic. */
  encode(segment: SegmentRows): Promise<EncodedFile[]>;
}
