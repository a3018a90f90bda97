import { z } from '@hono/zod-openapi';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { groupCall, identifyCall } from './calls.ts';
import { eventBatch } from './events.ts';
import { replayChunk } from './replay.ts';

/** Maximum size of an events request as sent, in bytes. */
export const EVENTS_MAX_WIRE_BYTES = 4 * 1024 * 1024;
/** Maximum size of an events request when decompressed, in bytes. */
export const EVENTS_MAX_BYTES = 20 * 1024 * 1024;
/** Maximum size of one event as JSON, in bytes. */
export const EVENT_MAX_BYTES = 900_000;
/** Enough for the traits of a call. */
const CALL_MAX_VALUES = 50_000;
/** Maximum size of a replay chunk, as sent and decompressed, in bytes. */
export const REPLAY_MAX_BYTES = 25 * 1024 * 1024;

const WITHOUT_KEY =
  ' Without a key in the Authorization header, as with sendBeacon, the body is limited to 64 KiB, as sent and decompressed.';

const accepted = z.object({ accepted: z.int().min(0) }).openapi('Accepted');

const common = {
  service: 'ingestion',
  host: 'events',
  credential: 'ingestion',
  errorShape: 'A',
  tag: 'Ingestion',
  method: 'post',
} as const;

const refused = {
  429: {
    description:
      'The quota of the project or the IP address is used up, or the operator throttles the project. Retry after the time in Retry-After.',
    message: 'Quota of the project used up (events). Retry after the time in Retry-After.',
  },
  503: {
    description: 'Service temporarily unavailable or overloaded. Retry after the time in Retry-After.',
    message: 'Service overloaded. Retry after the time in Retry-After.',
  },
};

const callAccepted = {
  ...jsonResponse('The call is accepted.', accepted, { accepted: 1 }),
  headers: z.object({
    'X-State-Token': z.string().openapi({
      example: 'i-2-1x9',
      description:
        'An opaque token. Send it in the same header of GET /v1/flags or /v1/flags/memberships to wait, up to a second, until this call is applied. Absent if the operator drops the calls of the project; accepted is then 0.',
    }),
  }),
};

export const ingestEvents = operation({
  ...common,
  operationId: 'ingestEvents',
  path: '/v1/events',
  summary: 'Ingest a batch of events',
  description: `Send 1 to 1,000 events of up to 900,000 bytes each. The body may have 4 MiB as sent (gzip, deflate, br, zstd or uncompressed), 20 MiB decompressed and 150,000 JSON values. It is parsed as JSON regardless of Content-Type. One invalid event rejects the whole batch. An event_id that occurs twice in a batch is stored once but counted twice in accepted. Unknown properties of an event are dropped. The response is sent once the event log has stored the batch.${WITHOUT_KEY}`,
  maxBodyBytes: EVENTS_MAX_BYTES,
  maxWireBytes: EVENTS_MAX_WIRE_BYTES,
  maxBodyValues: 150_000,
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
  responses: { 202: jsonResponse('The events are accepted.', accepted, { accepted: 1 }) },
  errors: refused,
});

export const identify = operation({
  ...common,
  operationId: 'identify',
  path: '/v1/identify',
  maxBodyValues: CALL_MAX_VALUES,
  summary: 'Set the traits of a person',
  description: `Merges properties into the traits of the person. For each trait the newest timestamp wins; null removes the trait. Set distinct_id at the top level or in properties. You can safely retry an identical call. A call and a person each have at most 1,000 properties, with names of up to 200 characters and at most 100,000 bytes of JSON in total.${WITHOUT_KEY}`,
  request: {
    body: jsonBody(identifyCall, {
      distinct_id: 'user-1',
      properties: { plan: 'pro', email: 'ada@example.com' },
    }),
  },
  responses: { 202: callAccepted },
  errors: refused,
});

export const group = operation({
  ...common,
  operationId: 'group',
  path: '/v1/group',
  maxBodyValues: CALL_MAX_VALUES,
  summary: 'Add a person to a group and set its traits',
  description: `properties.group_id is the id of the group, or null to leave it. properties.group_type is its type, company by default. All other properties are traits of the group. A person is in at most one group of each type, the newest by timestamp, and in groups of at most 10 types. The limits of identify apply.${WITHOUT_KEY}`,
  request: {
    body: jsonBody(groupCall, {
      distinct_id: 'user-1',
      properties: { group_id: 'acme', group_type: 'company', seats: 40 },
    }),
  },
  responses: { 202: callAccepted },
  errors: refused,
});

export const uploadReplayChunk = operation({
  ...common,
  operationId: 'uploadReplayChunk',
  host: 'replay',
  errorShape: 'empty',
  path: '/v1/replay',
  summary: 'Upload a session replay chunk',
  description: `Chunks of a session_id are ordered by seq. A chunk may be up to 25 MiB, as sent and decompressed. Its events are stored as sent, and may be nested 5,000 levels deep. Every response has an empty body. Errors have their message in the X-Error header.${WITHOUT_KEY}`,
  maxBodyBytes: REPLAY_MAX_BYTES,
  unparsedArray: 'events',
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
  responses: { 202: { description: 'The chunk is accepted.' } },
  errors: refused,
});
