import { openFolder } from './folder.ts';
import { openS3 } from './s3.ts';
import type { ObjectStore } from './types.ts';

/** The location of objects: a bucket of an S3 server, or a local folder. */
export type ObjectStoreSettings =
  | {
      /** URL of the server; buckets are addressed in the path. */
      endpoint: string;
      accessKey: string;
      secretKey: string;
      bucket: string;
      region: string;
      /** Longest time without data from the server, in milliseconds. Default 3000. */
      timeoutMs?: number;
    }
  | { folder: string };

/** Opens an object store, which connects and creates nothing before it is used. */
export function openObjectStore(settings: ObjectStoreSettings): ObjectStore {
  return 'folder' in settings ? openFolder(settings.folder) : openS3(settings);
}
