import {
  commonSettings,
  eventLogSettings,
  httpUrl,
  integerSetting,
  objectStoreSettings,
  redisUrl,
  s3Settings,
  sealingSecrets,
  together,
} from '@switchboard/service-kit';
import { z } from 'zod';

const limit = (fallback: number) => integerSetting({ min: 1, max: 1_000_000, fallback });

const limits = {
  OPENS_PER_ADDRESS_PER_MINUTE: limit(30).describe('Conversations one address may open in a project.'),
  OPENS_PER_PROJECT_PER_MINUTE: limit(600).describe('Conversations that may be opened in a project.'),
  TURNS_PER_CONVERSATION_PER_MINUTE: limit(60).describe('Turns a visitor may send in a conversation.'),
  UPLOADS_PER_CONVERSATION_PER_MINUTE: limit(10).describe('Files a visitor may upload in a conversation.'),
  UPLOADS_PER_CONVERSATION_PER_HOUR: limit(60).describe('Files a visitor may upload in a conversation.'),
  UPLOADS_PER_ADDRESS_PER_MINUTE: limit(30).describe('Files that may be uploaded from one address.'),
  SOCKETS_PER_ADDRESS: limit(100).describe('Sockets one address may hold open at an instance.'),
  SOCKETS_MAX: limit(20_000).describe('Sockets an instance holds open; more are turned away.'),
};

const ai = {
  AI_BASE_URL: httpUrl
    .optional()
    .describe('OpenAI-compatible endpoint that translates, such as https://host/v1.'),
  AI_API_KEY: z
    .string()
    .optional()
    .meta({ secret: true })
    .describe('Key of the endpoint; required with AI_BASE_URL.'),
  AI_MODEL: z.string().optional().describe('Model that translates; required with AI_BASE_URL.'),
  AI_TIMEOUT_MS: integerSetting({ min: 100, max: 120_000, fallback: 30_000 }).describe(
    'How long a translation may take; past it the answer is 502.',
  ),
};

const helpSite = {
  HELP_SITE_URL: httpUrl.optional().describe('Provider that knows which help site belongs to a company.'),
  HELP_SITE_TOKEN: z
    .string()
    .optional()
    .meta({ secret: true })
    .describe('Bearer token at the provider; required with HELP_SITE_URL.'),
  HELP_SITE_TIMEOUT_MS: integerSetting({ min: 100, max: 60_000, fallback: 10_000 }).describe(
    'How long the provider may take.',
  ),
};

export const messengerSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    PUBLIC_API_URL: httpUrl.describe(
      'Address under which clients reach this API; socketUrl is made from it.',
    ),
    REDIS_URL: redisUrl
      .optional()
      .describe(
        'Redis in which instances count limits together and tell each other turns; needed for several.',
      ),
    IDENTITY_SECRET: sealingSecrets.describe(
      'Secrets that identity secrets are encrypted with, comma separated: the first encrypts, all of them read.',
    ),
    UNSENT_ATTACHMENT_HOURS: integerSetting({ min: 1, max: 8760, fallback: 24 }).describe(
      'How long a file that was uploaded and not sent is kept.',
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
