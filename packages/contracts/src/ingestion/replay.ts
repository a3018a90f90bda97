import { z } from '@hono/zod-openapi';
import { id, text, timestamp } from '../fields/fields.ts';
import type { Json } from '../fields/json.ts';
import { apiKey } from './api-key.ts';

export const replayChunk = z
  .object({
    api_key: apiKey,
    distinct_id: id,
    events: z.custom<Json[]>(Array.isArray, 'not an array').openapi({ type: 'array', items: {} }),
    masked: z.boolean(),
    schema_version: z.int(),
    sdk: text({ max: 200 }).nullable().optional(),
    seq: z.int().min(0),
    session_id: id,
    timestamp,
  })
  .openapi('ReplayChunk');
export type ReplayChunk = z.infer<typeof replayChunk>;
