export { deleteBelow } from './delete-below.ts';
export { ObjectStoreError } from './errors.ts';
export { keyPart } from './keys.ts';
export { type ObjectStoreSettings, openObjectStore } from './open.ts';
export type { ByteRange, ListedObject, ObjectStore, StoredObject } from './types.ts';
