import { z } from 'zod';
import { httpUrl, together } from './fields.ts';

/** Settings of the object store. Check them with `completeS3`. */
export const objectStoreSettings = {
  S3_ENDPOINT: httpUrl
    .optional()
    .describe('S3 server; requires the next three settings, or a bucket and a token file.'),
  S3_ACCESS_KEY: z.string().optional().describe('Access key of the S3 server.'),
  S3_SECRET_KEY: z.string().optional().meta({ secret: true }).describe('Secret of S3_ACCESS_KEY.'),
  S3_BUCKET: z.string().optional().describe('Bucket on the S3 server.'),
  S3_REGION: z.string().default('us-east-1').describe('Region used to sign S3 requests.'),
  AWS_WEB_IDENTITY_TOKEN_FILE: z
    .string()
    .optional()
    .describe(
      'File with the web identity token of this process. The token is exchanged for keys if no keys are set.',
    ),
  AWS_ROLE_ARN: z.string().optional().describe('Role that the keys are requested for.'),
  AWS_ENDPOINT_URL_STS: httpUrl
    .optional()
    .describe('Token service that issues the keys. Default: the one of AWS in S3_REGION.'),
  OBJECTS_FOLDER: z.string().optional().describe('Folder to use instead of S3, on a single machine.'),
};

const PLACE = ['S3_ENDPOINT', 'S3_BUCKET'];
const KEYS = ['S3_ACCESS_KEY', 'S3_SECRET_KEY'];

export type ObjectStoreConfig = z.output<z.ZodObject<typeof objectStoreSettings>>;

/** Checks that an S3 server has a bucket, and keys or a token to get them. */
export function completeS3(payload: z.core.ParsePayload<ObjectStoreConfig>): void {
  const { S3_ACCESS_KEY, S3_SECRET_KEY, AWS_WEB_IDENTITY_TOKEN_FILE } = payload.value;
  const hasKeys = S3_ACCESS_KEY !== undefined || S3_SECRET_KEY !== undefined;
  const needsKeys = hasKeys || AWS_WEB_IDENTITY_TOKEN_FILE === undefined;
  together(needsKeys ? [...PLACE, ...KEYS] : PLACE)(payload);
}

/** Checks that an object store is set, for a service that requires one. */
export function requireObjectStore({ value, issues }: z.core.ParsePayload<ObjectStoreConfig>): void {
  if (value.S3_ENDPOINT !== undefined || value.OBJECTS_FOLDER !== undefined) return;
  const message = 'this or S3_ENDPOINT is required';
  issues.push({ code: 'custom', input: value, path: ['OBJECTS_FOLDER'], message });
}
