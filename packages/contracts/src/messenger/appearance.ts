import { z } from '@hono/zod-openapi';
import { anyJson, text } from '../fields/fields.ts';

/** The values of each named setting of the messenger. The first is the default. */
export const MESSENGER_CHOICES = {
  skin: ['plain', 'light', 'dark', 'soft', 'bold'],
  launcherPosition: ['right', 'left'],
  launcherShape: ['circle', 'rounded', 'square', 'pill'],
  launcherFill: ['solid', 'gradient', 'soft', 'outline'],
  launcherContent: ['icon', 'text', 'both', 'avatars'],
  launcherSize: ['medium', 'small', 'large'],
  bubbleShape: ['round', 'rounded', 'square', 'tail'],
  bubbleFill: ['solid', 'gradient', 'soft', 'outline'],
  composerShape: ['round', 'rounded', 'square', 'line'],
  namePlacement: ['above', 'below', 'inside', 'none'],
  stampPlacement: ['below', 'above', 'inside', 'beside', 'none'],
  stampContent: ['time', 'datetime', 'relative'],
} as const;

const TONES = [
  ...['red', 'orange', 'warm', 'yellow', 'green', 'teal', 'cool', 'blue'],
  ...['violet', 'purple', 'pink', 'gray'],
] as const;

/** The colour of a person's initials. If empty, the name determines it. */
export const tone = z.enum(['', ...TONES]);

function choice<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values).default(values[0]);
}

const offset = z.int().min(0).max(400).default(20).openapi({ description: 'Pixels from the corner.' });

/** Appearance and behaviour of the messenger as an operator writes them. Every setting has a default. */
export const appearanceSettings = z.object({
  enabled: z.boolean().default(true),
  launcherPosition: choice(MESSENGER_CHOICES.launcherPosition),
  launcherOffsetX: offset,
  launcherOffsetY: offset,
  accentColor: text({ min: 1, max: 50 }).default('#3355ff').openapi({ description: 'A CSS colour of sRGB.' }),
  availability: anyJson.default(null).openapi({
    description:
      'The hours when the team answers: {timezone, hours} or {timezone, days, from, to}. null: always.',
  }),
  skin: choice(MESSENGER_CHOICES.skin),
  launcherShape: choice(MESSENGER_CHOICES.launcherShape),
  launcherFill: choice(MESSENGER_CHOICES.launcherFill),
  launcherContent: choice(MESSENGER_CHOICES.launcherContent),
  launcherSize: choice(MESSENGER_CHOICES.launcherSize),
  bubbleShape: choice(MESSENGER_CHOICES.bubbleShape),
  bubbleFill: choice(MESSENGER_CHOICES.bubbleFill),
  composerShape: choice(MESSENGER_CHOICES.composerShape),
  namePlacement: choice(MESSENGER_CHOICES.namePlacement),
  nameAvatar: z.boolean().default(true),
  dayDividers: z.boolean().default(true),
  stampPlacement: choice(MESSENGER_CHOICES.stampPlacement),
  stampContent: choice(MESSENGER_CHOICES.stampContent),
});
