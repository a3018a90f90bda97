import {
  commonSettings,
  encryptionSecrets,
  eventLogSettings,
  httpUrl,
  integerSetting,
  networkList,
  redisUrl,
} from '@switchboard/service-kit';
import { z } from 'zod';

export const collaborationSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    REDIS_URL: redisUrl
      .optional()
      .describe('Redis in which instances count reads of public links together; else each for itself.'),
    PUBLIC_LINK_BASE_URL: httpUrl.describe(
      'What the address of a public link begins with; /shared of this service must answer there.',
    ),
    LINK_SECRET: encryptionSecrets.describe(
      'Secrets that public links are encrypted with, comma separated: the first encrypts, all of them read.',
    ),
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, error: 'not an smtp:// or smtps:// address' })
      .optional()
      .meta({ values: 'smtp:// or smtps:// address', secret: true })
      .describe(
        'Mail server that shares are sent through, with user and password where it needs them. smtp:// requires STARTTLS; add ?requireTLS=false for a server without it.',
      ),
    MAIL_DIR: z
      .string()
      .optional()
      .describe('Folder in which e-mails are written as .eml files when there is no SMTP_URL.'),
    MAIL_FROM: z
      .string()
      .regex(/^[^\s@<>",]+@[^\s@<>",]+$/, 'not an e-mail address')
      .meta({ values: 'e-mail address' })
      .default('switchboard@localhost')
      .describe('Address that e-mails come from.'),
    VAPID_PUBLIC_KEY: z
      .string()
      .regex(/^[A-Za-z0-9_-]{87}$/, 'not a VAPID public key (65 bytes, base64url)')
      .optional()
      .meta({ values: '65 bytes, base64url' })
      .describe('Key that browsers subscribed to push with; without it nothing is pushed.'),
    VAPID_PRIVATE_KEY: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'not a VAPID private key (32 bytes, base64url)')
      .optional()
      .meta({ values: '32 bytes, base64url', secret: true })
      .describe('The private half of VAPID_PUBLIC_KEY.'),
    PUSH_PRIVATE_NETWORKS: networkList.describe(
      'Private networks in which push endpoints may be. Members choose them: list only where a push service of your own is.',
    ),
    SHARES_PER_PERSON_PER_HOUR: integerSetting({ min: 1, max: 100_000, fallback: 60 }).describe(
      'Shares that one person can send per hour.',
    ),
    SHARES_PER_COMPANY_PER_HOUR: integerSetting({ min: 1, max: 1_000_000, fallback: 300 }).describe(
      'Shares that the members of a company can send per hour.',
    ),
    DELIVERY_RETRY_SECONDS: integerSetting({ min: 1, max: 900, fallback: 5 }).describe(
      'Wait before a failed delivery of a share is tried again; doubled each time, up to 15 minutes.',
    ),
  })
  .refine(({ SMTP_URL, MAIL_DIR }) => SMTP_URL !== undefined || MAIL_DIR !== undefined, {
    path: ['SMTP_URL'],
    message: 'set it, or MAIL_DIR to have e-mails written as files',
  })
  .refine((set) => (set.VAPID_PUBLIC_KEY === undefined) === (set.VAPID_PRIVATE_KEY === undefined), {
    path: ['VAPID_PRIVATE_KEY'],
    message: 'set both VAPID keys or none',
  });

export type CollaborationConfig = z.output<typeof collaborationSettings>;
