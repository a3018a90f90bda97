import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { operation } from '../operation.ts';
import { groupCall, identifyCall } from './calls.ts';
import { eventBatch } from './events.ts';
import { replayChunk } from './replay.ts';

/** The most an events, identify or group request may weigh on the wire, in bytes. */
export const EVENTS_MAX_WIRE_BYTES = 4 * 1024 * 1024;
/** The most an events request may weigh when decompressed, in bytes. */
export const EVENTS_MAX_BYTES = 20 * 1024 * 1024;
/** The most one event, identify or group call may weigh when serialised, in bytes. */
export const EVENT_MAX_BYTES = 900_000;
/** The most a replay chunk may weigh, on the wire and decompressed, in bytes. */
export const REPLAY_MAX_BYTES = 25 * 1024 * 1024;

const accepted = z.object({ accepted: z.int().min(0) }).openapi('Accepted');

const facts = {
  service: 'ingestion',
  host: 'events',
  credential: 'ingestion',
  errorShape: 'A',
  tag: 'Ingestion',
  method: 'post',
} as const;

const busy = { 503: 'The event log is away or too much is in flight; Retry-After says when to come back.' };

const callAccepted = {
  ...jsonAnswer('The call is in the event log.', accepted, { accepted: 1 }),
  headers: z.object({
    'X-State-Token': z.string().openapi({
      example: 'i-2-1x9',
      description:
        'Opaque. Sent back in the same header of GET /v1/flags or /v1/flags/memberships, it makes them wait, up to a second, until this call is applied.',
    }),
  }),
};

export const ingestEvents = operation({
  ...facts,
  operationId: 'ingestEvents',
  path: '/v1/events',
  summary: 'Take a batch of events',
  description:
    'Answers 202 once the event log has stored the batch. 1 to 1,000 events; 4 MiB on the wire (gzip, deflate, br or zstd) and 20 MiB decompressed; one event up to 900,000 bytes. The body is read as JSON whatever its Content-Type. One bad event refuses the whole batch and names its path, and nothing of it is stored. An event_id that comes twice in a batch is stored once and counted twice. Properties of an event beyond those listed are dropped.',
  maxBodyBytes: EVENTS_MAX_BYTES,
  maxWireBytes: EVENTS_MAX_WIRE_BYTES,
  request: {
    body: jsonBody(eventBatch, {
      events: [
        {
          distinct_id: 'user-1',
          event_id: '018f4c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f',
          event_name: 'checkout completed',
          schema_version: 1,
          timestamp: '2026-03-01T09:30:00.000Z',
          properties: { total: 4200, currency: 'EUR' },
        },
      ],
      sent_at: '2026-03-01T09:30:01.000Z',
    }),
  },
  responses: { 202: jsonAnswer('The events are in the event log.', accepted, { accepted: 1 }) },
  errors: busy,
});

export const identify = operation({
  ...facts,
  operationId: 'identify',
  path: '/v1/identify',
  summary: 'Set traits of a person',
  description:
    'Traits merge property by property, the newer timestamp wins, null removes. distinct_id is needed at the top or as properties.distinct_id. An identical call may be sent again.',
  maxBodyBytes: EVENT_MAX_BYTES,
  request: {
    body: jsonBody(identifyCall, {
      distinct_id: 'user-1',
      properties: { plan: 'pro', email: 'ada@example.com' },
    }),
  },
  responses: { 202: callAccepted },
  errors: busy,
});

export const group = operation({
  ...facts,
  operationId: 'group',
  path: '/v1/group',
  summary: 'Put a person into a group and set the traits of the group',
  description:
    'properties.group_id names the group, and null leaves it; properties.group_type its type, company when absent. The other properties are traits of the group. A person is in one group of a type, the newest by timestamp.',
  maxBodyBytes: EVENT_MAX_BYTES,
  request: {
    body: jsonBody(groupCall, {
      distinct_id: 'user-1',
      properties: { group_id: 'acme', group_type: 'company', seats: 40 },
    }),
  },
  responses: { 202: callAccepted },
  errors: busy,
});

export const uploadReplayChunk = operation({
  ...facts,
  operationId: 'uploadReplayChunk',
  host: 'replay',
  errorShape: 'empty',
  path: '/v1/replay',
  summary: 'Take a chunk of a session replay',
  description:
    'Chunks are ordered by seq within a session_id. Up to 25 MiB, on the wire and decompressed. Every answer has an empty body; the reason of a refusal is in X-Error.',
  maxBodyBytes: REPLAY_MAX_BYTES,
  request: {
    body: jsonBody(replayChunk, {
      distinct_id: 'user-1',
      session_id: '018f4c1e-7a2b-7c3d-8e4f-5a6b7c8d9e0f',
      seq: 0,
      events: [{ type: 4, data: { href: 'https://shop.example.com/', width: 1280, height: 720 } }],
      masked: true,
      schema_version: 1,
      sdk: 'web 1.4.0',
      timestamp: '2026-03-01T09:30:00.000Z',
    }),
  },
  responses: { 202: { description: 'The chunk is in the event log.' } },
  errors: busy,
});
