import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { z } from 'zod';
import { httpUrl } from './config.ts';

/** Refuses some of these settings without the others; for `z.object(...).check(...)`. */
export function together(names: readonly string[]) {
  return ({ value, issues }: z.core.ParsePayload<Record<string, unknown>>) => {
    const missing = names.filter((name) => value[name] === undefined);
    if (missing.length === 0 || missing.length === names.length) return;
    const message = `required, since ${names.find((name) => !missing.includes(name))} is set`;
    for (const name of missing) issues.push({ code: 'custom', input: value, path: [name], message });
  };
}

/** Settings of the object store; `what` is kept there. Check them with `together(s3Settings)`. */
export function objectStoreSettings(what: string) {
  return {
    S3_ENDPOINT: httpUrl.optional().describe(`S3 server for ${what}.`),
    S3_ACCESS_KEY: z.string().optional().describe('Access key at the S3 server; required with it.'),
    S3_SECRET_KEY: z.string().optional().meta({ secret: true }).describe('Secret of S3_ACCESS_KEY.'),
    S3_BUCKET: z.string().optional().describe('Bucket at the S3 server; required with it.'),
    S3_REGION: z
      .string()
      .default('us-east-1')
      .describe('Region that requests to the S3 server are signed for.'),
    OBJECTS_FOLDER: z
      .string()
      .optional()
      .describe(`Folder for ${what} where there is no S3 server; for one machine.`),
  };
}

export const s3Settings = ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_BUCKET'] as const;

type ObjectStoreConfig = z.output<z.ZodObject<ReturnType<typeof objectStoreSettings>>>;

/** The object store that the settings name; undefined when they name none. */
export function openObjects(config: ObjectStoreConfig): ObjectStore | undefined {
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey } = config;
  const { S3_BUCKET: bucket, S3_REGION: region, OBJECTS_FOLDER: folder } = config;
  if (endpoint && accessKey && secretKey && bucket) {
    return openObjectStore({ endpoint, accessKey, secretKey, bucket, region });
  }
  return folder === undefined ? undefined : openObjectStore({ folder });
}
