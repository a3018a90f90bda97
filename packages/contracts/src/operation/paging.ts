import { z } from '@hono/zod-openapi';
import { text } from '../fields/fields.ts';

const MAX_CURSOR = 2_000;

/** Returns the properties common to every operation that lists pages of up to `most` items. */
export function paging(most: number) {
  return {
    description: `Returns up to ${most} per page, or limit. To get the next page, send nextCursor of the previous page as cursor; it is null on the last page.`,
    query: {
      cursor: text({ min: 1, max: MAX_CURSOR }).optional().openapi({ example: 'eyJuZXh0IjoiYSJ9' }),
      limit: z.coerce.number().int().min(1).max(most).default(most).openapi({ example: most }),
    },
    answer: { nextCursor: z.string().nullable() },
  };
}
