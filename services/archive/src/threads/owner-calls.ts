import type { ByteRange } from '@switchboard/object-store';

/** The calls from a thread to its service. */
export interface OwnerCalls {
  /** Returns the bytes of an object; undefined if it does not exist. */
  get(key: string, range: ByteRange | undefined): Promise<Uint8Array | undefined>;
}
