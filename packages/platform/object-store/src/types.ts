import type { Readable } from 'node:stream';

/** An object being read. The stream must be consumed or destroyed. It fails with ObjectStoreError if interrupted. */
export interface StoredObject {
  /** The size in bytes of the object, or of the requested part. */
  size: number;
  body: Readable;
}

/** A part of an object with at least one byte. */
export interface ByteRange {
  /** Offset of the first byte. */
  start: number;
  /** Offset after the last byte. */
  end: number;
}

export interface ListedObject {
  key: string;
  /** The size in bytes. */
  size: number;
  modifiedAt: Date;
}

/**
 * Objects by key. A key has 1 to 900 characters: parts joined by `/`, each 1 to 200 of `A-Z a-z 0-9 - _ . =`, none
 * beginning with a dot (see `keyPart`). A key must not be a folder of another key. Every method throws
 * ObjectStoreError if the store responds with an error or too late.
 */
export interface ObjectStore {
  /** Stores the bytes atomically and replaces an existing object. Resolves once they are durable. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns the object or a range of it, or undefined if the object does not exist. */
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /** Lists the objects with keys that begin with the prefix, in key order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Deletes an object. Succeeds if the object does not exist. */
  delete(key: string): Promise<void>;
  /** Throws if the store does not respond. */
  ping(): Promise<void>;
  close(): void;
}
