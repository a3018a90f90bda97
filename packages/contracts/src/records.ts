import { z } from '@hono/zod-openapi';
import { refuseJsonFault, text, timestamp } from './fields.ts';
import { eventContext } from './ingestion/events.ts';

/** The topics that ingestion publishes to. */
export const ingestionTopics = {
  events: 'events',
  identifies: 'identifies',
  groups: 'groups',
  replays: 'replays',
} as const;

/** Wider than the `id` of requests: what was accepted once stays readable. */
const id = text({ min: 1, max: 200 });
const when = (description: string) => timestamp.meta({ format: 'date-time', description });
const jsonObject = z.record(z.string(), z.unknown());
const traits = jsonObject.check(refuseJsonFault).meta({ description: 'null removes a trait.' });
const projectId = z.string().min(1);
const receivedAt = when('When the service had read the request; UTC, milliseconds.');

/**
 * One line of a record on `events`, whose value is newline-delimited JSON. The project is the record's key
 * and its header `project`; the headers `received_at` and `sent_at` hold for every line.
 */
export const eventRow = z.object({
  distinct_id: id,
  event_id: id,
  event_name: id,
  schema_version: z.int(),
  timestamp: when('As the client sent it.'),
  occurred_at: when(
    'timestamp, corrected when the client’s clock is off by more than 60 s; UTC, milliseconds.',
  ),
  session_id: id.nullable().optional(),
  properties: jsonObject.optional(),
  context: eventContext.optional(),
});
export type EventRow = z.infer<typeof eventRow>;

/** The value of a record on `identifies`, as JSON: traits to merge into those of a person. */
export const identifyRecord = z.object({
  project_id: projectId,
  distinct_id: id,
  event_id: id.optional(),
  traits,
  timestamp: when('What the newer-wins rule compares; UTC, milliseconds.'),
  received_at: receivedAt,
});
export type IdentifyRecord = z.infer<typeof identifyRecord>;

/** The value of a record on `groups`, as JSON: the person's group of a type, and traits of that group. */
export const groupRecord = z.object({
  project_id: projectId,
  distinct_id: id,
  event_id: id.optional(),
  group_type: id,
  group_id: id.nullable().meta({ description: 'null: the person leaves the group of this type.' }),
  traits,
  timestamp: when('What the newer-wins rule compares; UTC, milliseconds.'),
  received_at: receivedAt,
});
export type GroupRecord = z.infer<typeof groupRecord>;

/** The JSON that the parts of a chunk on `replays` give when their values are joined in order of `part`. */
export const replayRecord = z.object({
  project_id: projectId,
  session_id: id,
  distinct_id: id,
  seq: z.int().min(0),
  masked: z.boolean(),
  schema_version: z.int(),
  sdk: text({ max: 200 }).nullable().optional(),
  timestamp: when('As the client sent it.'),
  events: z.array(z.unknown()),
});
export type ReplayRecord = z.infer<typeof replayRecord>;
