import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import type { ObjectStoreConfig } from '../settings/object-store.ts';

/** Opens the object store of the settings; undefined if they name none. */
export function openObjects(config: ObjectStoreConfig): ObjectStore | undefined {
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey } = config;
  const { S3_BUCKET: bucket, S3_REGION: region, OBJECTS_FOLDER: folder } = config;
  if (endpoint && accessKey && secretKey && bucket) {
    return openObjectStore({ endpoint, accessKey, secretKey, bucket, region });
  }
  return folder === undefined ? undefined : openObjectStore({ folder });
}
