import {
  commonSettings,
  encryptionSecrets,
  eventLogSettings,
  httpUrl,
  integerSetting,
  objectStoreSettings,
  redisUrl,
  s3Settings,
  together,
} from '@switchboard/service-kit';
import { z } from 'zod';

const limit = (fallback: number) => integerSetting({ min: 1, max: 1_000_000, fallback });

const limits = {
  OPENS_PER_ADDRESS_PER_MINUTE: limit(30).describe(
    'Conversations that one address can open in a project per minute.',
  ),
  OPENS_PER_PROJECT_PER_MINUTE: limit(600).describe(
    'Conversations that can be opened in a project per minute.',
  ),
  TURNS_PER_CONVERSATION_PER_MINUTE: limit(60).describe(
    'Turns that a visitor can send in a conversation per minute.',
  ),
  TURNS_PER_ADDRESS_PER_MINUTE: limit(600).describe(
    'Turns that one address can send in a project per minute.',
  ),
  READS_PER_CONVERSATION_PER_MINUTE: limit(120).describe(
    'Times that a conversation can be read by its visitor per minute.',
  ),
  READS_PER_ADDRESS_PER_MINUTE: limit(1_200).describe(
    'Conversations that one address can read in a project per minute.',
  ),
  SUBSCRIPTIONS_PER_ADDRESS_PER_MINUTE: limit(1_200).describe(
    'Conversations that one address can subscribe to in a project per minute.',
  ),
  MESSAGE_REQUESTS_PER_ADDRESS_PER_MINUTE: limit(1_200).describe(
    'In-app inboxes that one address can read or mark as read in a project per minute.',
  ),
  MESSAGE_READS_PER_PROJECT_PER_MINUTE: limit(30_000).describe(
    'In-app messages that can be marked as read in a project per minute.',
  ),
  HELP_CENTRE_REFRESHES_PER_COMPANY_PER_MINUTE: limit(10).describe(
    'Help centres that a company can refresh per minute.',
  ),
  UPLOADS_PER_CONVERSATION_PER_MINUTE: limit(10).describe(
    'Attachments that can be uploaded to a conversation per minute.',
  ),
  UPLOADS_PER_CONVERSATION_PER_HOUR: limit(60).describe(
    'Attachments that can be uploaded to a conversation per hour.',
  ),
  UPLOADS_PER_ADDRESS_PER_MINUTE: limit(30).describe(
    'Attachments that can be uploaded from one address per minute.',
  ),
  DOWNLOADS_PER_ADDRESS_PER_MINUTE: limit(3_000).describe(
    'Attachments that one address can download in a project per minute.',
  ),
  SOCKETS_PER_ADDRESS: limit(100).describe('Open sockets per address and instance.'),
  SOCKETS_MAX: limit(20_000).describe('Open sockets per instance; more are refused with 503.'),
};

const ai = {
  AI_BASE_URL: httpUrl
    .optional()
    .describe('OpenAI-compatible endpoint for translations, such as https://host/v1.'),
  AI_API_KEY: z
    .string()
    .optional()
    .meta({ secret: true })
    .describe('API key for the endpoint; required with AI_BASE_URL.'),
  AI_MODEL: z.string().optional().describe('Model for translations; required with AI_BASE_URL.'),
  AI_TIMEOUT_MS: integerSetting({ min: 100, max: 120_000, fallback: 30_000 }).describe(
    'Timeout of a translation; after it, the request is 502.',
  ),
};

const helpSite = {
  HELP_SITE_URL: httpUrl.optional().describe('URL of the help-site provider.'),
  HELP_SITE_TOKEN: z
    .string()
    .optional()
    .meta({ secret: true })
    .describe('Bearer token for the provider; required with HELP_SITE_URL.'),
  HELP_SITE_TIMEOUT_MS: integerSetting({ min: 100, max: 60_000, fallback: 10_000 }).describe(
    'Timeout of a request to the provider.',
  ),
};

export const messengerSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    PUBLIC_API_URL: httpUrl.describe('URL at which clients reach this API; socketUrl is derived from it.'),
    REDIS_URL: redisUrl
      .optional()
      .describe('Redis for limits and live updates shared by all instances; required with more than one.'),
    IDENTITY_SECRET: encryptionSecrets.describe(
      'Secrets that encrypt identity secrets, comma-separated: the first encrypts, all of them decrypt.',
    ),
    UNSENT_ATTACHMENT_HOURS: integerSetting({ min: 1, max: 8760, fallback: 24 }).describe(
      'How long an unsent attachment is kept.',
    ),
    ...limits,
    ...objectStoreSettings('attachments and avatars'),
    ...ai,
    ...helpSite,
  })
  .check(together(s3Settings))
  .check(together(['AI_BASE_URL', 'AI_API_KEY', 'AI_MODEL']))
  .check(together(['HELP_SITE_URL', 'HELP_SITE_TOKEN']));
export type MessengerConfig = z.output<typeof messengerSettings>;
