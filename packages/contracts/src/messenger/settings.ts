import { z } from '@hono/zod-openapi';
import { int64, languageTag, text, timestamp } from '../fields/fields.ts';
import { projectId } from '../fields/ids.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

export const helpCentreSite = z
  .object({
    url: z.string(),
    articles: int64.openapi({ description: 'Number of articles.' }),
    languages: z.array(z.string()),
    lastReadAt: timestamp.nullable().optional(),
    readError: z
      .string()
      .nullable()
      .optional()
      .openapi({ description: 'Error message of the last read, if it failed.' }),
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

/** Maximum size of a text to translate, in UTF-8 bytes. */
export const TRANSLATION_TEXT_MAX_BYTES = 4000;
/** Maximum size of all texts of a translation request, in UTF-8 bytes. */
export const TRANSLATION_MAX_BYTES = 20_000;

export const translationRequest = z
  .object({
    from: languageTag,
    to: languageTag,
    texts: z.array(text({ max: TRANSLATION_TEXT_MAX_BYTES })).max(1000),
  })
  .check(({ value, issues }) => {
    const report = (path: (string | number)[], message: string) =>
      issues.push({ code: 'custom', input: value, path, message });
    const bytes = value.texts.map(utf8Bytes);
    for (const [index, size] of bytes.entries()) {
      if (size > TRANSLATION_TEXT_MAX_BYTES) report(['texts', index], 'larger than 4,000 bytes');
    }
    if (bytes.reduce((sum, size) => sum + size, 0) > TRANSLATION_MAX_BYTES) {
      report(['texts'], 'larger than 20,000 bytes in total');
    }
  })
  .openapi('TranslationRequest');
export type TranslationRequest = z.infer<typeof translationRequest>;

function utf8Bytes(value: string): number {
  return new TextEncoder().encode(value).byteLength;
}

const common = {
  service: 'messenger',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'Messenger settings',
} as const;

const params = z.object({ projectId });

export const getHelpCentre = operation({
  ...common,
  operationId: 'getHelpCentre',
  permission: 'messenger.read',
  method: 'get',
  path: '/v1/projects/{projectId}/messenger/help-centre',
  summary: 'Get the help site and article search',
  description:
    'site is null until a refresh finds one. search is off with placement tab until you change it.',
  request: { params },
  responses: { 200: jsonResponse('The help centre.', helpCentre) },
});

export const refreshHelpCentre = operation({
  ...common,
  operationId: 'refreshHelpCentre',
  permission: 'messenger.write',
  method: 'post',
  path: '/v1/projects/{projectId}/messenger/help-centre/refresh',
  summary: 'Look up the help site of the company',
  description:
    'Asks the help-site provider for the site of the company, stores the result and returns it. If the provider fails, a stored site is kept and gets readError; without a stored site the response is 502 HELP_SITE_FAILED. Limit: 10 per minute for a company.',
  request: { params },
  responses: { 200: jsonResponse('The help centre.', helpCentre) },
  errors: {
    429: {
      description: 'Too many refreshes. Retry after the time in Retry-After.',
      message: 'Too many requests (help-centre). Retry after the time in Retry-After.',
    },
    502: {
      description: 'HELP_SITE_FAILED: The help-site provider failed and no site is stored.',
      message: { HELP_SITE_FAILED: 'The help-site provider could not be reached.' },
    },
  },
});

export const putArticleSearch = operation({
  ...common,
  operationId: 'putArticleSearch',
  permission: 'messenger.write',
  method: 'put',
  path: '/v1/projects/{projectId}/messenger/article-search',
  summary: 'Turn article search on or off',
  description:
    'Sets both on and placement. Turning article search on requires a plan that includes it; otherwise the response is 402 PLAN_REQUIRED, even if it was on before. Turning it off is always allowed.',
  request: { params, body: jsonBody(articleSearch, { on: true, placement: 'tab' }) },
  responses: { 200: jsonResponse('The stored setting.', articleSearch) },
  errors: { 402: 'PLAN_REQUIRED: Your plan does not include article search.' },
});

export const translateTexts = operation({
  ...common,
  operationId: 'translateTexts',
  permission: 'messenger.write',
  method: 'post',
  path: '/v1/projects/{projectId}/messenger/translations',
  summary: 'Translate messenger texts with AI',
  description:
    'Returns one translation per text, in order, and stores nothing. A text may have 4,000 UTF-8 bytes, a request 20,000. The inline markup of starter prompts is preserved. An empty list, or a request where from equals to, needs no AI provider. The entitlement aiTranslationBytesPerMonth of the plan limits the volume per month.',
  request: {
    params,
    body: jsonBody(translationRequest, { from: 'en', to: 'de', texts: ['Hello, <b>friend</b>!'] }),
  },
  responses: {
    200: jsonResponse('The translations, in order.', z.object({ texts: z.array(z.string()) }), {
      texts: ['Hallo, <b>Freund</b>!'],
    }),
  },
  errors: {
    402: "AI_DISABLED: Your plan does not include the AI add-on. AI_LIMIT_REACHED: The texts exceed your plan's remaining AI translation limit for this month.",
    502: {
      description: 'AI_FAILED: The AI provider failed or returned an unusable reply.',
      message: { AI_FAILED: 'The AI provider failed or timed out. Retry later.' },
    },
  },
});
