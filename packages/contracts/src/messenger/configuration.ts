import { z } from '@hono/zod-openapi';
import { jsonAnswer, notModified } from '../bodies.ts';
import { anyJson, id, int32, text } from '../fields.ts';
import { operation } from '../operation.ts';
import { userId } from '../path-ids.ts';

const look = text({ max: 50 });

/** How the messenger looks and behaves, as it is written and as it is answered. */
export const messengerAppearance = z.object({
  enabled: z.boolean(),
  launcherPosition: look,
  launcherOffsetX: int32,
  launcherOffsetY: int32,
  accentColor: look,
  availability: anyJson,
  skin: look,
  launcherShape: look,
  launcherFill: look,
  launcherContent: look,
  launcherSize: look,
  bubbleShape: look,
  bubbleFill: look,
  composerShape: look,
  namePlacement: look,
  nameAvatar: z.boolean(),
  dayDividers: z.boolean(),
  stampPlacement: look,
  stampContent: look,
});

/** An appearance, for the API reference. */
export const theAppearance = {
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

/** Who answers, for the API reference. */
export const theTeam = [
  {
    name: 'Grace Hopper',
    initials: 'GH',
    tone: 'warm',
    avatarUrl:
      '/v1/messenger/avatar/grace/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
  },
];

export const starterPrompt = z
  .object({ html: text({ max: 2000 }), text: text({ max: 500 }) })
  .openapi('StarterPrompt', { description: 'html holds a, b, strong, i, em, code and br alone.' });
export type StarterPrompt = z.infer<typeof starterPrompt>;

export const teamMember = z
  .object({
    name: text({ min: 1, max: 200 }),
    initials: text({ max: 10 }),
    tone: look,
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
    version: z.string().openapi({ description: 'A hash of what is answered.' }),
    starterPrompts: z.array(starterPrompt),
    team: z.array(teamMember),
    socketUrl: z.string(),
    attachments: z.object({ enabled: z.boolean(), maxBytes: z.int(), accept: z.array(z.string()) }),
  })
  .openapi('MessengerConfiguration');
export type MessengerConfiguration = z.infer<typeof messengerConfiguration>;

const theConfiguration = {
  ...theAppearance,
  enabled: true as const,
  greeting: 'Hello! How can we help?',
  awayMessage: 'We are back at 9.',
  starterPrompts: [{ html: 'Where is <b>my order</b>?', text: 'Where is my order?' }],
  team: theTeam,
  version: '5a6b7c8d9e0f',
  socketUrl: 'wss://api.example.com/v1/messenger/socket',
  attachments: {
    enabled: true,
    maxBytes: 500_000,
    accept: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'],
  },
};

export const messengerOff = z.object({ enabled: z.literal(false) }).openapi('MessengerOff');

/** The most an avatar may weigh, in bytes. */
export const AVATAR_MAX_BYTES = 1_000_000;

export const avatarType = z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']);
export type AvatarType = z.infer<typeof avatarType>;

const facts = {
  service: 'messenger',
  host: 'api',
  credential: 'project-key',
  errorShape: 'A',
  tag: 'Messenger',
} as const;

export const getMessengerConfig = operation({
  ...facts,
  operationId: 'getMessengerConfig',
  method: 'get',
  path: '/v1/messenger/config',
  summary: "The messenger's configuration in the visitor's language",
  description:
    'Each text is taken from the first of: the tags of locale, each exactly and then by its primary subtag, the default language of the project, English. Malformed tags are skipped, and so are the eleventh and later. A project never configured and one switched off both answer {enabled: false}. socketUrl is the absolute ws or wss address of /v1/messenger/socket, to which the client adds ?api_key=.',
  request: {
    query: z.object({
      locale: text({ max: 2000 })
        .optional()
        .openapi({ description: 'BCP 47 tags, comma separated, most wanted first.', example: 'pt-BR,en' }),
    }),
  },
  responses: {
    200: {
      ...jsonAnswer(
        'The configuration, or that there is none.',
        z.union([messengerConfiguration, messengerOff]),
        theConfiguration,
      ),
      headers: z.object({ ETag: z.string() }),
    },
    304: notModified,
  },
});

export const getAvatar = operation({
  ...facts,
  operationId: 'getAvatar',
  method: 'get',
  path: '/v1/messenger/avatar/{user_id}/{file}',
  summary: 'A picture of a team member',
  description:
    'file is the SHA-256 of the bytes and the extension of the type, so the bytes under a path never change. The key may travel as api_key, since an image load sets no header.',
  request: {
    params: z.object({
      user_id: userId,
      file: id.openapi({
        example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png',
      }),
    }),
    query: z.object({
      api_key: text({ max: 200 }).optional().openapi({
        description: 'The project key, in place of the header.',
        example: 'pk_eu_0123456789ABCDEFGHIJKLMNOPQRSTUV',
      }),
    }),
  },
  responses: {
    200: {
      description: 'The picture.',
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
    404: 'No such picture.',
    502: 'The picture could not be read from storage.',
    503: 'Picture storage is not configured, or a dependency is away.',
  },
});
