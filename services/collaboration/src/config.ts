import { commonSettings, eventLogSettings, httpUrl } from '@switchboard/service-kit';
import { z } from 'zod';

/** The settings of collaboration. */
export const settings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'not a redis:// address' })
    .optional()
    .describe('Redis in which instances count reads of public links together; else each counts for itself.'),
  PUBLIC_LINK_BASE_URL: httpUrl.describe(
    'What the address of a public link begins with; /shared of this service must answer there.',
  ),
  LINK_SECRET: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .refine((list) => list.every((secret) => secret.length >= 32), 'a secret is shorter than 32 characters')
    .describe(
      'Secrets that public links are encrypted with, comma separated: the first encrypts, all of them read.',
    ),
});
