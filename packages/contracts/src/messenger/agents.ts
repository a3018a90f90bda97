import { z } from '@hono/zod-openapi';
import { reportContent } from '../analytics/report-content.ts';
import { day, id } from '../fields/fields.ts';
import { timeZone } from '../fields/time-zone.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { SUPPORT_LIMITS } from './support.ts';

const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'not a time of day; use HH:MM')
  .openapi({ example: '22:00' });

/** The languages of mails to visitors and members. */
export const MAIL_LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** How a member hears of conversations that wait for an answer. */
export const inboxPreferences = z
  .object({
    desktop: z.enum(['off', 'mine', 'all']).openapi({
      description:
        'The turns of visitors that open consoles and pushes show as notifications. mine: in conversations that are assigned to the member, to their teams or to no one.',
    }),
    pushText: z.boolean().openapi({
      description:
        'Whether pushes to browsers show the subject and the turn. Otherwise they say only that a visitor writes.',
    }),
    mailDigest: z.boolean().openapi({
      description:
        'Whether the member gets a mail about conversations that wait, at most once an hour. The deployment must send support mail.',
    }),
    digestAfterMinutes: z.int().min(5).max(1_440).openapi({
      description: 'Minutes that a conversation waits before it is in a digest.',
    }),
    teamIds: z
      .array(id)
      .max(SUPPORT_LIMITS.teams)
      .openapi({ description: 'The teams of the member. Their unassigned conversations are in the digest.' }),
    quietHours: z
      .object({ from: timeOfDay, to: timeOfDay })
      .refine(({ from, to }) => from !== to, { path: ['to'], message: 'equal to from; use another time' })
      .nullable()
      .openapi({ description: 'The hours without notifications. They may pass midnight.' }),
    timezone: timeZone.openapi({ description: 'IANA name, for quiet hours.', example: 'Europe/Berlin' }),
    language: z.enum(MAIL_LANGUAGES).nullable().openapi({
      description:
        'The language of digests and pushes. null: the default language of the project, if there are mails in it.',
    }),
  })
  .openapi('InboxPreferences');
export type InboxPreferences = z.infer<typeof inboxPreferences>;

/** The preferences of a member who has stored none. */
export const DEFAULT_INBOX_PREFERENCES: InboxPreferences = {
  desktop: 'off',
  pushText: false,
  mailDigest: false,
  digestAfterMinutes: 30,
  teamIds: [],
  quietHours: null,
  timezone: 'UTC',
  language: null,
};

const common = managementOf('messenger');
const params = z.object(projectParams);
const noProject = { 404: 'Project not found.' };
const PREFERENCES_PATH = '/management/v1/projects/{projectId}/inbox-preferences';

export const getInboxPreferences = operation({
  ...common,
  operationId: 'getInboxPreferences',
  permission: 'support.read',
  method: 'get',
  path: PREFERENCES_PATH,
  summary: 'Get how you hear of waiting conversations',
  description: 'The preferences of the caller. Those of other members cannot be read.',
  request: { params },
  responses: { 200: jsonResponse('The preferences.', inboxPreferences) },
  errors: noProject,
});

export const putInboxPreferences = operation({
  ...common,
  operationId: 'putInboxPreferences',
  permission: 'conversations.reply',
  method: 'put',
  path: PREFERENCES_PATH,
  summary: 'Replace how you hear of waiting conversations',
  description:
    'A digest has an address for each conversation. An answer to it becomes a turn of the member, while they may reply.',
  request: {
    params,
    body: jsonBody(inboxPreferences, {
      desktop: 'mine',
      pushText: false,
      mailDigest: true,
      digestAfterMinutes: 30,
      teamIds: [],
      quietHours: { from: '20:00', to: '08:00' },
      timezone: 'Europe/Berlin',
      language: 'de',
    }),
  },
  responses: { 200: jsonResponse('The stored preferences.', inboxPreferences) },
  errors: noProject,
});

/** The largest number of days in a report on conversations. */
export const MAX_REPORT_DAYS = 92;
const DAY_MS = 86_400_000;

export const conversationReport = z
  .object({ volume: reportContent, times: reportContent, satisfaction: reportContent })
  .openapi('ConversationReport');
export type ConversationReport = z.infer<typeof conversationReport>;

export const getConversationReport = operation({
  ...common,
  operationId: 'getConversationReport',
  permission: 'support.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/conversation-report',
  summary: 'Get the volume, response times and ratings of conversations by day',
  description: `Each part is report content. Times are medians in minutes: from the opening to the first reply, and from the opening or reopening to the resolution. Office hours are not subtracted. Up to ${MAX_REPORT_DAYS} days. A conversation has its last 50 resolutions.`,
  request: {
    params,
    query: z
      .object({
        from: day.openapi({ example: '2026-03-01' }),
        to: day.openapi({ example: '2026-03-07' }),
        timezone: timeZone.default('UTC').openapi({ description: 'IANA name.', example: 'Europe/Berlin' }),
      })
      .refine(({ from, to }) => from <= to, {
        path: ['to'],
        message: 'before from; must be the same day or later',
      })
      .refine(({ from, to }) => (Date.parse(to) - Date.parse(from)) / DAY_MS < MAX_REPORT_DAYS, {
        path: ['to'],
        message: `more than ${MAX_REPORT_DAYS} days; use a shorter range`,
      }),
  },
  responses: { 200: jsonResponse('The report.', conversationReport) },
  errors: {
    ...noProject,
    429: {
      description: 'Too many reports. Retry after the time in Retry-After.',
      message: 'Too many requests (conversation-reports). Retry after the time in Retry-After.',
    },
  },
});
