import type { OpenedService } from '@switchboard/http';
import { hasMailSettings, mailSettings } from '@switchboard/mail';
import { completeVapid, pushSettings } from '@switchboard/push';
import {
  commonSettings,
  encryptionSecrets,
  eventLogSettings,
  httpUrl,
  rateLimitsMultiplier,
  redisUrl,
  retentionDays,
  webhookSettings,
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
      'Secrets for public links and for the channels of subscriptions: the first one encrypts, all of them decrypt.',
    ),
    ...mailSettings,
    ...pushSettings,
    ...webhookSettings,
    RATE_LIMITS_MULTIPLIER: rateLimitsMultiplier,
    COMMENTS_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days without activity after which a comment thread is removed. Default: never.'),
    SHARES_RETENTION_DAYS: retentionDays(2)
      .default(90)
      .describe('Days after which a share or a mail of a subscription, with its deliveries, is removed.'),
    REPORT_RUNS_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days after which a run of a report is removed. Default: never.'),
  })
  .check(hasMailSettings)
  .check(completeVapid);

export type CollaborationConfig = z.output<typeof collaborationSettings>;
/** The service as its features see it. */
export type Collaboration = OpenedService<CollaborationConfig>;
