import type { Readable } from 'node:stream';

/** An object as it is read. The stream must be consumed or destroyed. */
export interface StoredObject {
  /** In bytes. */
  size: number;
  body: Readable;
}

export interface ListedObject {
  key: string;
  /** In bytes. */
  size: number;
  modifiedAt: Date;
}

/**
 * Objects by key. A key is 1 to 900 characters: parts joined by `/`, each 1 to 200 of `A-Z a-z 0-9 - _ . =`, none
 * beginning with a dot (see `keyPart`); no key may be the beginning of another up to a `/`. Every method throws
 * ObjectStoreError when the store refuses, fails or does not answer in time.
 */
export interface ObjectStore {
  /** Stores the bytes whole or not at all; replaces what was there. Resolves once they are durable. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined when there is no such object. */
  get(key: string): Promise<StoredObject | undefined>;
  /** All objects whose key begins with the prefix, in the order of their keys. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Resolves also when there was no such object. */
  delete(key: string): Promise<void>;
  /** Throws when the store does not answer. */
  ping(): Promise<void>;
  close(): void;
}
