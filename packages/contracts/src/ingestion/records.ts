import { z } from '@hono/zod-openapi';
import { asSent, checkJson, text } from '../fields/fields.ts';
import { isRfc3339 } from '../fields/rfc3339.ts';
import { eventContext } from './events.ts';

/** The topics to which ingestion publishes. */
export const ingestionTopics = {
  events: 'events',
  identifies: 'identifies',
  groups: 'groups',
  replays: 'replays',
} as const;

/** Accepts more than the `id` of requests, so that stored records stay readable. */
const id = text({ min: 1, max: 200 });
/** Accepts more than the `timestamp` of requests, for the same reason. */
const when = (description: string) =>
  z.string().refine(isRfc3339, 'not an RFC 3339 date-time').meta({ format: 'date-time', description });
const jsonObject = asSent(z.record(z.string(), z.unknown()));
const traits = jsonObject.check(checkJson).meta({ description: 'null removes a trait.' });
const projectId = z.string().min(1);
const receivedAt = when('When ingestion received the request; UTC, milliseconds.');

/**
 * One line of a record on `events`, which contains newline-delimited JSON. The project is the key and the header
 * `project` of the record. The headers `received_at` and `sent_at` apply to every line, as does
 * `bot: true`, with which a known bot sent the event.
 */
export const eventRow = z.object({
  distinct_id: id,
  event_id: id,
  event_name: id,
  schema_version: z.int(),
  timestamp: when('As sent by the client.'),
  occurred_at: when(
    'timestamp, corrected if sent_at is more than 60 s ahead of received_at or more than seven days behind; UTC, milliseconds.',
  ),
  session_id: id.nullable().optional(),
  properties: jsonObject.optional(),
  context: eventContext.optional(),
});
export type EventRow = z.infer<typeof eventRow>;

/** The JSON value of a record on `identifies`: traits to merge into those of a person. */
export const identifyRecord = z.object({
  project_id: projectId,
  distinct_id: id,
  anonymous_id: id
    .optional()
    .meta({ description: 'The id that the visitor had before. It joins the person if it is anonymous.' }),
  event_id: id.optional(),
  traits,
  once: z.literal(true).optional().meta({
    description: 'The traits are set only if the person does not have them. The earliest value stays.',
  }),
  timestamp: when('Decides which of two values is newer; UTC, milliseconds.'),
  received_at: receivedAt,
});
export type IdentifyRecord = z.infer<typeof identifyRecord>;

/** The JSON value of a record on `groups`: a person's group of one type, and traits of that group. */
export const groupRecord = z.object({
  project_id: projectId,
  distinct_id: id,
  event_id: id.optional(),
  group_type: id,
  group_id: id.nullable().meta({ description: 'null if the person leaves the group of this type.' }),
  traits,
  timestamp: when('Decides which of two values is newer; UTC, milliseconds.'),
  received_at: receivedAt,
});
export type GroupRecord = z.infer<typeof groupRecord>;

/** A chunk on `replays`: the JSON obtained by joining the values of its records in order of `part`. */
export const replayRecord = z.object({
  project_id: projectId,
  session_id: id,
  distinct_id: id,
  seq: z.int().min(0),
  masked: z.boolean(),
  schema_version: z.int(),
  sdk: text({ max: 200 }).nullable().optional(),
  timestamp: when('As sent by the client.'),
  events: z.array(z.unknown()),
});
export type ReplayRecord = z.infer<typeof replayRecord>;
