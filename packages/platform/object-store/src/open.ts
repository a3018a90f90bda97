import type { Measure } from '@switchboard/resilience';
import { openFolder } from './folder.ts';
import { measuredStore } from './measured.ts';
import { openS3, type S3Settings } from './s3.ts';
import type { ObjectStore } from './types.ts';

/** The location of objects: a bucket of an S3 server, or a local folder. */
export type ObjectStoreSettings = S3Settings | { folder: string };

/**
 * Opens an object store. It does not connect or create anything before its first use. `measure` receives every call.
 */
export function openObjectStore(settings: ObjectStoreSettings, measure?: Measure): ObjectStore {
  const store = 'folder' in settings ? openFolder(settings.folder) : openS3(settings);
  return measure === undefined ? store : measuredStore(store, measure);
}
