import { z } from '@hono/zod-openapi';
import { text } from '../fields/fields.ts';

/** The headers of an operation that can be repeated. */
export const idempotencyHeaders = z.object({
  'Idempotency-Key': text({ min: 1, max: 200 })
    .optional()
    .openapi({ example: '018f4c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f' }),
});
