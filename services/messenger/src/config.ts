import type { OpenedService } from '@switchboard/http';
import { hasMailSettings, mailSettings } from '@switchboard/mail';
import { completeVapid, pushSettings } from '@switchboard/push';
import {
  commonSettings,
  completeS3,
  encryptionSecrets,
  eventLogSettings,
  httpUrl,
  integerSetting,
  objectStoreSettings,
  rateLimitsMultiplier,
  redisUrl,
  retentionDays,
  socketsMax,
  together,
} from '@switchboard/runtime';
import { z } from 'zod';

const ai = {
  AI_BASE_URL: httpUrl
    .optional()
    .describe(
      'OpenAI-compatible endpoint for translations (https://host/v1); requires the next two settings.',
    ),
  AI_API_KEY: z.string().optional().meta({ secret: true }).describe('API key of the endpoint.'),
  AI_MODEL: z.string().optional().describe('Model of the endpoint.'),
};

const helpSite = {
  HELP_SITE_URL: httpUrl.optional().describe('Help-site provider; requires HELP_SITE_TOKEN.'),
  HELP_SITE_TOKEN: z
    .string()
    .optional()
    .meta({ secret: true })
    .describe('Bearer token of the help-site provider.'),
};

const supportMail = {
  SUPPORT_MAIL_DOMAIN: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,188}[a-z0-9])?$/i, 'not a domain')
    .meta({ values: 'domain' })
    .optional()
    .describe(
      'Domain of the addresses for answers of visitors. Turns support mail on; requires SMTP_URL or MAIL_DIR.',
    ),
  SUPPORT_MAIL_PORT: integerSetting({ min: 0, max: 65_535 })
    .optional()
    .describe(
      'Port to which your mail server relays mail for SUPPORT_MAIL_DOMAIN by SMTP; 0 picks a free one. Default: receives no mail.',
    ),
};

export const messengerSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    PUBLIC_API_URL: httpUrl.describe('Public address of this API, for `socketUrl` and `/sdk/`.'),
    SDK_FILE: z
      .string()
      .optional()
      .describe('Folder of the SDKs served under `/sdk/`; the image has them. Default: not served.'),
    REDIS_URL: redisUrl.optional().describe('Redis that connects instances; required with more than one.'),
    IDENTITY_SECRET: encryptionSecrets.describe(
      'Secrets that encrypt identity secrets: the first one encrypts, all of them decrypt.',
    ),
    CONVERSATIONS_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days without a turn after which a conversation is removed. Default: never.'),
    MESSAGES_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days after which an in-app message is removed. Default: never.'),
    RATE_LIMITS_MULTIPLIER: rateLimitsMultiplier,
    SOCKETS_MAX: socketsMax,
    ...objectStoreSettings,
    ...ai,
    ...helpSite,
    ...supportMail,
    ...mailSettings,
    ...pushSettings,
  })
  .check(completeS3)
  .check(completeVapid)
  .check(together(['AI_BASE_URL', 'AI_API_KEY', 'AI_MODEL']))
  .check(together(['HELP_SITE_URL', 'HELP_SITE_TOKEN']))
  .check((payload) => {
    if (payload.value.SUPPORT_MAIL_DOMAIN !== undefined) hasMailSettings(payload);
  })
  .refine(
    ({ SUPPORT_MAIL_PORT, SUPPORT_MAIL_DOMAIN }) =>
      SUPPORT_MAIL_PORT === undefined || SUPPORT_MAIL_DOMAIN !== undefined,
    { path: ['SUPPORT_MAIL_DOMAIN'], message: 'required, since SUPPORT_MAIL_PORT is set' },
  )
  .refine(({ WORKERS, SUPPORT_MAIL_PORT }) => WORKERS === 1 || SUPPORT_MAIL_PORT === undefined, {
    path: ['SUPPORT_MAIL_PORT'],
    message: 'set WORKERS to 1 in the process that receives mail',
  })
  .refine(({ WORKERS, REDIS_URL }) => WORKERS === 1 || REDIS_URL !== undefined, {
    path: ['REDIS_URL'],
    message: 'required if WORKERS is above 1',
  });
export type MessengerConfig = z.output<typeof messengerSettings>;
/** The service as its features see it. */
export type Messenger = OpenedService<MessengerConfig>;
