import type { Readable } from 'node:stream';

/** An object being read. Its stream must be consumed or destroyed; it fails with ObjectStoreError if it breaks off. */
export interface StoredObject {
  /** In bytes; of a part, the part's own. */
  size: number;
  body: Readable;
}

/** A part of an object that has at least one byte. */
export interface ByteRange {
  /** Offset of the first byte. */
  start: number;
  /** Offset after the last byte. */
  end: number;
}

export interface ListedObject {
  key: string;
  /** In bytes. */
  size: number;
  modifiedAt: Date;
}

/**
 * Objects by key. A key is 1 to 900 characters: parts joined by `/`, each 1 to 200 of `A-Z a-z 0-9 - _ . =`, none
 * beginning with a dot (see `keyPart`); a key may not be a folder of another. Every method throws ObjectStoreError
 * when the store responds with an error or not in time.
 */
export interface ObjectStore {
  /** Stores the bytes atomically and replaces an existing object. Resolves once they are durable. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if the object does not exist. Without a range, the whole object. */
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /** The objects whose keys begin with the prefix, in key order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Succeeds if the object does not exist. */
  delete(key: string): Promise<void>;
  /** Throws when the store does not answer. */
  ping(): Promise<void>;
  close(): void;
}
