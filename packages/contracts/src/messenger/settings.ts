import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { int64, languageTag, text, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { projectId } from '../path-ids.ts';

export const helpCentreSite = z
  .object({
    url: z.string(),
    articles: int64.openapi({ description: 'Number of articles.' }),
    languages: z.array(z.string()),
    lastReadAt: timestamp.nullable().optional(),
    readError: z.string().nullable().optional().openapi({ description: 'Why the last read failed.' }),
    capped: z.boolean(),
  })
  .openapi('HelpCentreSite');
export type HelpCentreSite = z.infer<typeof helpCentreSite>;

export const placement = z.enum(['tab', 'first_view', 'while_typing']).openapi('Placement');
export type Placement = z.infer<typeof placement>;

export const articleSearch = z.strictObject({ on: z.boolean(), placement }).openapi('ArticleSearch', {
  example: { on: true, placement: 'tab' },
});
export type ArticleSearch = z.infer<typeof articleSearch>;

export const helpCentre = z
  .object({ site: helpCentreSite.nullable(), search: articleSearch })
  .openapi('HelpCentre', {
    example: {
      site: {
        url: 'https://help.example.com',
        articles: 120,
        languages: ['en', 'de'],
        lastReadAt: '2026-03-01T09:30:00.000Z',
        readError: null,
        capped: false,
      },
      search: { on: false, placement: 'tab' },
    },
  });
export type HelpCentre = z.infer<typeof helpCentre>;

/** The most one text to translate may weigh, in UTF-8 bytes. */
export const TRANSLATION_TEXT_MAX_BYTES = 4000;
/** The most all texts of a translation may weigh together, in UTF-8 bytes. */
export const TRANSLATION_MAX_BYTES = 20_000;

export const translationRequest = z
  .object({
    from: languageTag,
    to: languageTag,
    texts: z.array(text({ max: TRANSLATION_TEXT_MAX_BYTES })).max(1000),
  })
  .check(({ value, issues }) => {
    const refuse = (path: (string | number)[], message: string) =>
      issues.push({ code: 'custom', input: value, path, message });
    const bytes = value.texts.map(utf8Bytes);
    for (const [index, size] of bytes.entries()) {
      if (size > TRANSLATION_TEXT_MAX_BYTES) refuse(['texts', index], 'larger than 4,000 bytes');
    }
    if (bytes.reduce((sum, size) => sum + size, 0) > TRANSLATION_MAX_BYTES) {
      refuse(['texts'], 'larger than 20,000 bytes in all');
    }
  })
  .openapi('TranslationRequest');
export type TranslationRequest = z.infer<typeof translationRequest>;

function utf8Bytes(value: string): number {
  return new TextEncoder().encode(value).byteLength;
}

const facts = {
  service: 'messenger',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'Messenger settings',
} as const;

const params = z.object({ projectId });

export const getHelpCentre = operation({
  ...facts,
  operationId: 'getHelpCentre',
  method: 'get',
  path: '/v1/projects/{projectId}/messenger/help-centre',
  summary: 'The help site as last looked up, and article search',
  description: 'site is null until a refresh finds one. search starts as off, placement tab.',
  request: { params },
  responses: { 200: jsonAnswer('The help centre.', helpCentre) },
});

export const refreshHelpCentre = operation({
  ...facts,
  operationId: 'refreshHelpCentre',
  method: 'post',
  path: '/v1/projects/{projectId}/messenger/help-centre/refresh',
  summary: 'Ask the help-site provider which site belongs to the company',
  description:
    'Stores, moves or clears the site, then answers as the read does. When the provider fails and a site is stored, it stays, with readError; when none is stored the answer is 502 HELP_SITE_FAILED. Any member of the company may.',
  request: { params },
  responses: { 200: jsonAnswer('The help centre.', helpCentre) },
  errors: { 502: 'HELP_SITE_FAILED: the provider failed and no site is stored.' },
});

export const putArticleSearch = operation({
  ...facts,
  operationId: 'putArticleSearch',
  method: 'put',
  path: '/v1/projects/{projectId}/messenger/article-search',
  summary: 'Turn article search on or off, and place it',
  description:
    'on: true needs a plan with article search, else 402 PLAN_REQUIRED, also when it was on before; on: false with any placement is always allowed.',
  request: { params, body: jsonBody(articleSearch, { on: true, placement: 'tab' }) },
  responses: { 200: jsonAnswer('Article search as stored.', articleSearch) },
  errors: { 402: 'PLAN_REQUIRED: the plan has no article search.' },
});

export const translateTexts = operation({
  ...facts,
  operationId: 'translateTexts',
  method: 'post',
  path: '/v1/projects/{projectId}/messenger/translations',
  summary: 'Translate messenger texts with AI',
  description:
    "One translation a text, in order; nothing is stored. 4,000 UTF-8 bytes a text and 20,000 in all, else 400. The inline markup of a starter prompt comes back unchanged. Once 400 and 402 are settled, an empty list, or from equal to to, is answered without the AI provider. What a month takes is bounded by the plan's aiTranslationBytesPerMonth.",
  request: {
    params,
    body: jsonBody(translationRequest, { from: 'en', to: 'de', texts: ['Hello, <b>friend</b>!'] }),
  },
  responses: {
    200: jsonAnswer('The translations, in order.', z.object({ texts: z.array(z.string()) }), {
      texts: ['Hallo, <b>Freund</b>!'],
    }),
  },
  errors: {
    402: 'AI_DISABLED: the AI add-on is off. AI_LIMIT_REACHED: it is at its limit.',
    502: 'AI_FAILED: the AI provider failed, or its reply cannot be used.',
  },
});
