import { z } from 'zod';
import { httpUrl } from './fields.ts';

/** Settings of the object store, in which `what` is stored. Check them with `together(s3Settings)`. */
export function objectStoreSettings(what: string) {
  return {
    S3_ENDPOINT: httpUrl.optional().describe(`S3 server for ${what}.`),
    S3_ACCESS_KEY: z.string().optional().describe('Access key of the S3 server. Required with S3_ENDPOINT.'),
    S3_SECRET_KEY: z.string().optional().meta({ secret: true }).describe('Secret of S3_ACCESS_KEY.'),
    S3_BUCKET: z.string().optional().describe('Bucket on the S3 server. Required with S3_ENDPOINT.'),
    S3_REGION: z.string().default('us-east-1').describe('Region used to sign requests to the S3 server.'),
    OBJECTS_FOLDER: z
      .string()
      .optional()
      .describe(`Folder for ${what} if there is no S3 server. For a single machine.`),
  };
}

export const s3Settings = ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_BUCKET'] as const;

export type ObjectStoreConfig = z.output<z.ZodObject<ReturnType<typeof objectStoreSettings>>>;
