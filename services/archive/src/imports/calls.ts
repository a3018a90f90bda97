import type { EncodedPart, SentPart } from './encode-part.ts';

/** The calls to a thread that imports need. */
export interface ImportCalls {
  /** Transfers the part's value. */
  encodePart(part: SentPart): EncodedPart;
}
