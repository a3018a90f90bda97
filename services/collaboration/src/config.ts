import type { OpenedService } from '@switchboard/http';
import { hasMailSettings, mailSettings } from '@switchboard/mail';
import {
  commonSettings,
  encryptionSecrets,
  eventLogSettings,
  httpUrl,
  networkList,
  rateLimitsMultiplier,
  redisUrl,
  retentionDays,
} from '@switchboard/runtime';
import { z } from 'zod';

export const collaborationSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    REDIS_URL: redisUrl
      .optional()
      .describe(
        'Redis in which instances count reads of public links together; without it each instance counts separately.',
      ),
    PUBLIC_LINK_BASE_URL: httpUrl.describe(
      'URL prefix of public links; it must lead to /shared of this service.',
    ),
    LINK_SECRET: encryptionSecrets.describe(
      'Secrets for public links: the first one encrypts, all of them decrypt.',
    ),
    ...mailSettings,
    VAPID_PUBLIC_KEY: z
      .string()
      .regex(/^[A-Za-z0-9_-]{87}$/, 'not a VAPID public key (65 bytes, base64url)')
      .optional()
      .meta({ values: '65 bytes, base64url' })
      .describe('Public key of push subscriptions; without it no pushes are sent.'),
    VAPID_PRIVATE_KEY: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'not a VAPID private key (32 bytes, base64url)')
      .optional()
      .meta({ values: '32 bytes, base64url', secret: true })
      .describe('Private key of VAPID_PUBLIC_KEY.'),
    PUSH_PRIVATE_NETWORKS: networkList.describe(
      'Private networks that push endpoints may be in. Members choose endpoints, so list only networks of your own push service.',
    ),
    RATE_LIMITS_MULTIPLIER: rateLimitsMultiplier,
    COMMENTS_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days without activity after which a comment thread is removed. Default: never.'),
    SHARES_RETENTION_DAYS: retentionDays(2)
      .default(90)
      .describe('Days after which a share, with its deliveries, is removed.'),
    REPORT_RUNS_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days after which a run of a report is removed. Default: never.'),
  })
  .check(hasMailSettings)
  .refine((set) => (set.VAPID_PUBLIC_KEY === undefined) === (set.VAPID_PRIVATE_KEY === undefined), {
    path: ['VAPID_PRIVATE_KEY'],
    message: 'set both VAPID keys or neither',
  });

export type CollaborationConfig = z.output<typeof collaborationSettings>;
/** The service as its features see it. */
export type Collaboration = OpenedService<CollaborationConfig>;
