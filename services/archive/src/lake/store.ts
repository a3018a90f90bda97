import { resolve } from 'node:path';
import type { Db } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import type { Archive } from '../config.ts';
import { lakeMetadata } from '../schema/index.ts';

export interface LakeStore {
  /** Tells readers of the DuckLake catalogue where the files are. */
  setDataPath(path: string): Promise<void>;
}

/** Returns the address of the files, as DuckDB names it. Like the object store, it prefers S3. */
export function dataPathOf({
  S3_ENDPOINT,
  S3_BUCKET,
  OBJECTS_FOLDER = '',
}: Pick<Archive['config'], 'S3_ENDPOINT' | 'S3_BUCKET' | 'OBJECTS_FOLDER'>): string {
  return `${S3_ENDPOINT && S3_BUCKET ? `s3://${S3_BUCKET}` : resolve(OBJECTS_FOLDER)}/events/`;
}

export function createLakeStore(db: Db): LakeStore {
  return {
    async setDataPath(path) {
      await db.execute(sql`
        insert into ${lakeMetadata} as known (key, value) values ('data_path', ${path})
        on conflict (key) do update set value = excluded.value where known.value <> excluded.value`);
    },
  };
}
