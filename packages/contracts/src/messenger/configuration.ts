import { z } from '@hono/zod-openapi';
import { anyJson, id, int32, name, text } from '../fields/fields.ts';
import { userId } from '../fields/ids.ts';
import { jsonResponse, notModified } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { type appearanceSettings, tone } from './appearance.ts';

const styleName = text({ max: 50 });

/** Appearance and behaviour of the messenger as the widget reads them. */
const messengerAppearance = z.object({
  enabled: z.boolean(),
  launcherPosition: styleName,
  launcherOffsetX: int32,
  launcherOffsetY: int32,
  accentColor: styleName,
  availability: anyJson,
  skin: styleName,
  launcherShape: styleName,
  launcherFill: styleName,
  launcherContent: styleName,
  launcherSize: styleName,
  bubbleShape: styleName,
  bubbleFill: styleName,
  composerShape: styleName,
  namePlacement: styleName,
  nameAvatar: z.boolean(),
  dayDividers: z.boolean(),
  stampPlacement: styleName,
  stampContent: styleName,
});

/** An example for the API reference. */
export const appearanceExample: z.output<typeof appearanceSettings> = {
  enabled: true,
  launcherPosition: 'right',
  launcherOffsetX: 24,
  launcherOffsetY: 24,
  accentColor: '#0b6bcb',
  availability: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' },
  skin: 'light',
  launcherShape: 'circle',
  launcherFill: 'solid',
  launcherContent: 'icon',
  launcherSize: 'medium',
  bubbleShape: 'rounded',
  bubbleFill: 'solid',
  composerShape: 'rounded',
  namePlacement: 'above',
  nameAvatar: true,
  dayDividers: true,
  stampPlacement: 'below',
  stampContent: 'time',
};

/** An example for the API reference. */
export const teamExample = [
  {
    name: 'Grace Hopper',
    initials: 'GH',
    tone: 'warm' as const,
    avatarUrl:
      '/v1/messenger/avatar/grace/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
  },
];

export const starterPrompt = z
  .object({ html: text({ max: 2000 }), text: text({ max: 500 }) })
  .openapi('StarterPrompt', {
    description: 'html may contain the elements a, b, strong, i, em, code and br.',
  });
export type StarterPrompt = z.infer<typeof starterPrompt>;

export const teamMember = z
  .object({
    name: name(200),
    initials: text({ max: 10 })
      .default('')
      .openapi({ description: 'If empty, the initials of the name are shown.' }),
    tone: tone.default(''),
    avatarUrl: text({ max: 2048 })
      .nullable()
      .optional()
      .openapi({ description: 'Path of the avatar endpoint.' }),
  })
  .openapi('TeamMember');
export type TeamMember = z.infer<typeof teamMember>;

export const messengerConfiguration = messengerAppearance
  .extend({
    enabled: z.literal(true),
    greeting: z.string(),
    awayMessage: z.string(),
    version: z.string().openapi({ description: 'A hash of the configuration.' }),
    starterPrompts: z.array(starterPrompt),
    team: z.array(teamMember.extend({ initials: z.string(), tone: z.string() })),
    socketUrl: z.string(),
    attachments: z.object({ enabled: z.boolean(), maxBytes: z.int(), accept: z.array(z.string()) }),
  })
  .openapi('MessengerConfiguration');
export type MessengerConfiguration = z.infer<typeof messengerConfiguration>;

const configurationExample = {
  ...appearanceExample,
  enabled: true as const,
  greeting: 'Hello! How can we help?',
  awayMessage: 'We are back at 9.',
  starterPrompts: [{ html: 'Where is <b>my order</b>?', text: 'Where is my order?' }],
  team: teamExample,
  version: '5a6b7c8d9e0f',
  socketUrl: 'wss://api.example.com/v1/messenger/socket',
  attachments: {
    enabled: true,
    maxBytes: 500_000,
    accept: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'],
  },
};

export const messengerOff = z.object({ enabled: z.literal(false) }).openapi('MessengerOff');

/** Maximum size of an avatar in bytes. */
export const AVATAR_MAX_BYTES = 1_000_000;

export const avatarType = z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']);
export type AvatarType = z.infer<typeof avatarType>;

const common = {
  service: 'messenger',
  host: 'api',
  credential: 'project-key',
  errorShape: 'A',
  tag: 'Messenger',
} as const;

export const getMessengerConfig = operation({
  ...common,
  operationId: 'getMessengerConfig',
  method: 'get',
  path: '/v1/messenger/config',
  summary: 'Get the messenger configuration for a visitor',
  description:
    'Each text is in the first available of these languages: the tags of locale, each matched exactly and then by its primary subtag; the default language of the project; English. Malformed tags and all but the first ten are ignored. The response is {enabled: false} if the messenger was never configured or is disabled. socketUrl is the WebSocket URL of live updates: append ?api_key= and the project key.',
  request: {
    query: z.object({
      locale: text({ max: 2000 }).optional().openapi({
        description: 'BCP 47 tags in order of preference, separated by commas.',
        example: 'pt-BR,en',
      }),
    }),
  },
  responses: {
    200: {
      ...jsonResponse(
        'The configuration, or {enabled: false}.',
        z.union([messengerConfiguration, messengerOff]),
        configurationExample,
      ),
      headers: z.object({ ETag: z.string() }),
    },
    304: notModified,
  },
});

export const getAvatar = operation({
  ...common,
  operationId: 'getAvatar',
  method: 'get',
  path: '/v1/messenger/avatar/{user_id}/{file}',
  summary: 'Get the avatar of a team member',
  description:
    'file is the SHA-256 hash of the image and its extension, so the content of a path never changes. Image loads cannot set headers, so you can send the project key as api_key.',
  request: {
    params: z.object({
      user_id: userId,
      file: id.openapi({
        example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
      }),
    }),
    query: z.object({
      api_key: text({ max: 200 }).optional().openapi({
        description: 'The project key, instead of the Authorization header.',
        example: 'pk_eu_0123456789ABCDEFGHIJKLMNOPQRSTUV',
      }),
    }),
  },
  responses: {
    200: {
      description: 'The image.',
      headers: z.object({
        ETag: z.string(),
        'Cache-Control': z.string().openapi({ example: 'private, max-age=86400, immutable' }),
        'X-Content-Type-Options': z.string().openapi({ example: 'nosniff' }),
        'Content-Security-Policy': z
          .string()
          .optional()
          .openapi({ description: "With SVG: default-src 'none'; style-src 'unsafe-inline'; sandbox" }),
      }),
      content: Object.fromEntries(
        avatarType.options.map((type) => [type, { schema: { type: 'string', format: 'binary' } } as const]),
      ),
    },
    304: notModified,
  },
  errors: {
    404: 'Avatar not found.',
    502: 'The object store failed to read the avatar. Retry later.',
    503: {
      description: 'Object storage is not configured, or the service is temporarily unavailable.',
      message: 'Avatar storage is not configured for this deployment.',
    },
  },
});
