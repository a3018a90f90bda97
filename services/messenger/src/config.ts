import {
  commonSettings,
  completeS3,
  encryptionSecrets,
  eventLogSettings,
  httpUrl,
  integerSetting,
  objectStoreSettings,
  redisUrl,
  retentionDays,
  together,
} from '@switchboard/runtime';
import { z } from 'zod';

const limit = (fallback: number) => integerSetting({ min: 1, max: 1_000_000, fallback });
const bytesPerSecond = (fallback: number) => integerSetting({ min: 1_000, max: 1_000_000_000_000, fallback });

/** Limits per address allow for many people behind one address, such as an office or a mobile network. */
const limits = {
  OPENS_PER_ADDRESS_PER_MINUTE: limit(30).describe('Conversations opened per IP address and project.'),
  OPENS_PER_PROJECT_PER_MINUTE: limit(600).describe('Conversations opened per project.'),
  TURNS_PER_CONVERSATION_PER_MINUTE: limit(60).describe('Turns of the visitor per conversation.'),
  TURNS_PER_ADDRESS_PER_MINUTE: limit(2_000).describe('Turns per IP address and project.'),
  TURNS_PER_PROJECT_PER_MINUTE: limit(30_000).describe('Turns per project.'),
  READS_PER_CONVERSATION_PER_MINUTE: limit(120).describe('Reads of the visitor per conversation.'),
  READS_PER_ADDRESS_PER_MINUTE: limit(3_000).describe('Reads per IP address and project.'),
  READS_PER_PROJECT_PER_MINUTE: limit(60_000).describe('Reads per project.'),
  READ_BYTES_PER_ADDRESS_PER_SECOND: bytesPerSecond(2_000_000).describe(
    'Bytes of turns that visitors read, per IP address and project, averaged over two seconds; more get 429. A 304 response counts as 0.',
  ),
  READ_BYTES_PER_PROJECT_PER_SECOND: bytesPerSecond(5_000_000).describe('The same per project.'),
  SUBSCRIPTIONS_PER_ADDRESS_PER_MINUTE: limit(3_000).describe(
    'Subscriptions on sockets, per IP address and project.',
  ),
  MESSAGE_REQUESTS_PER_ADDRESS_PER_MINUTE: limit(3_000).describe(
    'Inbox requests per IP address and project.',
  ),
  MESSAGE_READS_PER_PROJECT_PER_MINUTE: limit(30_000).describe(
    'In-app messages marked as read, per project.',
  ),
  HELP_CENTRE_REFRESHES_PER_COMPANY_PER_MINUTE: limit(10).describe('Help centre refreshes per company.'),
  UPLOADS_PER_CONVERSATION_PER_MINUTE: limit(10).describe('Attachments uploaded per conversation.'),
  UPLOADS_PER_CONVERSATION_PER_HOUR: limit(60).describe('The same per hour.'),
  UPLOADS_PER_ADDRESS_PER_MINUTE: limit(30).describe('Attachments uploaded per IP address.'),
  DOWNLOADS_PER_ADDRESS_PER_MINUTE: limit(3_000).describe(
    'Attachments downloaded per IP address and project.',
  ),
  SOCKETS_PER_ADDRESS: limit(2_000).describe('Open sockets per IP address and instance.'),
  SOCKETS_MAX: limit(20_000).describe('Open sockets per instance.'),
};

const ai = {
  AI_BASE_URL: httpUrl
    .optional()
    .describe(
      'OpenAI-compatible endpoint for translations (https://host/v1); requires the next two settings.',
    ),
  AI_API_KEY: z.string().optional().meta({ secret: true }).describe('API key of the endpoint.'),
  AI_MODEL: z.string().optional().describe('Model of the endpoint.'),
  AI_TIMEOUT_MS: integerSetting({ min: 100, max: 120_000, fallback: 30_000 }).describe(
    'Time-out of a translation; slower ones get 502.',
  ),
};

const helpSite = {
  HELP_SITE_URL: httpUrl.optional().describe('Help-site provider; requires HELP_SITE_TOKEN.'),
  HELP_SITE_TOKEN: z
    .string()
    .optional()
    .meta({ secret: true })
    .describe('Bearer token of the help-site provider.'),
  HELP_SITE_TIMEOUT_MS: integerSetting({ min: 100, max: 60_000, fallback: 10_000 }).describe(
    'Time-out of the help-site provider.',
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
    UNSENT_ATTACHMENT_HOURS: integerSetting({ min: 1, max: 8760, fallback: 24 }).describe(
      'Hours for which an unsent attachment is kept.',
    ),
    CONVERSATIONS_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days without a turn after which a conversation is removed. Default: never.'),
    MESSAGES_RETENTION_DAYS: retentionDays()
      .optional()
      .describe('Days after which an in-app message is removed. Default: never.'),
    ...limits,
    ...objectStoreSettings,
    ...ai,
    ...helpSite,
  })
  .check(completeS3)
  .check(together(['AI_BASE_URL', 'AI_API_KEY', 'AI_MODEL']))
  .check(together(['HELP_SITE_URL', 'HELP_SITE_TOKEN']))
  .refine(({ WORKERS, REDIS_URL }) => WORKERS === 1 || REDIS_URL !== undefined, {
    path: ['REDIS_URL'],
    message: 'required if WORKERS is above 1',
  });
export type MessengerConfig = z.output<typeof messengerSettings>;
