import { openFolder } from './folder.ts';
import { openS3 } from './s3.ts';
import type { ObjectStore } from './types.ts';

/** Where objects are: an S3 server and one of its buckets, or a folder of this machine. */
export type ObjectStoreSettings =
  | {
      /** http(s) address of the server; the bucket is named in the path. */
      endpoint: string;
      accessKey: string;
      secretKey: string;
      bucket: string;
      region: string;
      /** How long the server may stay silent, in milliseconds; default 3000. */
      timeoutMs?: number;
    }
  | { folder: string };

/** Opens an object store; nothing is connected or created before it is used. */
export function openObjectStore(settings: ObjectStoreSettings): ObjectStore {
  return 'folder' in settings ? openFolder(settings.folder) : openS3(settings);
}
