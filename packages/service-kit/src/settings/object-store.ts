import { z } from 'zod';
import { httpUrl } from './fields.ts';

/** Settings of the object store. Check them with `together(s3Settings)`. */
export const objectStoreSettings = {
  S3_ENDPOINT: httpUrl.optional().describe('S3 server; requires the next three.'),
  S3_ACCESS_KEY: z.string().optional().describe('Access key of the S3 server.'),
  S3_SECRET_KEY: z.string().optional().meta({ secret: true }).describe('Secret of S3_ACCESS_KEY.'),
  S3_BUCKET: z.string().optional().describe('Bucket on the S3 server.'),
  S3_REGION: z.string().default('us-east-1').describe('Region that signs S3 requests.'),
  OBJECTS_FOLDER: z.string().optional().describe('Folder in place of S3, on a single machine.'),
};

export const s3Settings = ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_BUCKET'] as const;

export type ObjectStoreConfig = z.output<z.ZodObject<typeof objectStoreSettings>>;

/** For a service that cannot do without an object store. */
export function requireObjectStore({ value, issues }: z.core.ParsePayload<ObjectStoreConfig>): void {
  if (value.S3_ENDPOINT !== undefined || value.OBJECTS_FOLDER !== undefined) return;
  const message = 'this or S3_ENDPOINT is required';
  issues.push({ code: 'custom', input: value, path: ['OBJECTS_FOLDER'], message });
}
