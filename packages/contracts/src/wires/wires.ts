import { z } from '@hono/zod-openapi';
import { REPLAY_MAX_BYTES } from '../ingestion/operations.ts';
import { jsonBody } from '../operation/bodies.ts';
import { type Host, type Operation, operation } from '../operation/operation.ts';
import type { Wire } from './names.ts';

/**
 * An operation of the API of another product, as its SDKs call it. It is not part of our API, so the OpenAPI document
 * and the management SDK leave it out. A project accepts it if its `wires` name the wire.
 */
export type WireOperation = Operation & {
  readonly wire: Wire;
  /** The public hosts that serve it. SDKs of other products know a single address. */
  readonly hosts: readonly Host[];
};

interface WireRoute extends Pick<WireOperation, 'wire' | 'hosts' | 'service' | 'path' | 'operationId'> {
  method: 'get' | 'post';
  /** The host of the operation of our API that it takes the place of. */
  host?: Host;
  /** The limits of a body; absent without one. */
  body?: { maxBytes: number; maxWireBytes: number; maxValues: number };
}

function wireOperation({ wire, hosts, host = 'api', body, ...route }: WireRoute): WireOperation {
  const defined = operation({
    ...route,
    host,
    credential: 'ingestion',
    errorShape: 'A',
    tag: 'Wires',
    ...(body && {
      request: { body: jsonBody(z.unknown()) },
      maxBodyBytes: body.maxBytes,
      maxWireBytes: body.maxWireBytes,
      maxBodyValues: body.maxValues,
    }),
    responses: { 200: { description: 'Accepted.' } },
  });
  return { ...defined, wire, hosts };
}

const EVENT_HOSTS = ['api', 'events'] as const satisfies readonly Host[];
const MIB = 1_048_576;
/** The limits of `POST /v1/events`. */
const EVENTS_BODY = { maxBytes: 20 * MIB, maxWireBytes: 4 * MIB, maxValues: 150_000 };

const segment = { wire: 'segment', hosts: EVENT_HOSTS, service: 'ingestion', method: 'post' } as const;

/** `batch`, `track`, `identify`, `page`, `screen`, `group` and `alias`. */
export const segmentCall = wireOperation({
  ...segment,
  operationId: 'segmentCall',
  path: '/segment/v1/{call}',
  body: EVENTS_BODY,
});

/** The calls of pages that are left, which RudderStack sends with sendBeacon. */
export const segmentBeacon = wireOperation({
  ...segment,
  operationId: 'segmentBeacon',
  path: '/segment/beacon/v1/{call}',
  body: EVENTS_BODY,
});

const unleash = { wire: 'unleash', hosts: ['api'], service: 'flags' } as const;
const FLAGS_BODY = { maxBytes: 262_144, maxWireBytes: 262_144, maxValues: 10_000 };

/** The flags of a project for SDKs that evaluate them themselves. */
export const unleashFeatures = wireOperation({
  ...unleash,
  operationId: 'unleashFeatures',
  method: 'get',
  path: '/unleash/api/client/features',
});

/** The flags that Unleash's language cannot say, with the reason. Unleash has no such operation. */
export const unleashOmitted = wireOperation({
  ...unleash,
  operationId: 'unleashOmitted',
  method: 'get',
  path: '/unleash/omitted',
});

export const unleashRegister = wireOperation({
  ...unleash,
  operationId: 'unleashRegister',
  method: 'post',
  path: '/unleash/api/client/register',
  body: FLAGS_BODY,
});

export const unleashMetrics = wireOperation({
  ...unleash,
  operationId: 'unleashMetrics',
  method: 'post',
  path: '/unleash/api/client/metrics',
  body: FLAGS_BODY,
});

/** The flags that are on for a person. */
export const unleashFrontend = wireOperation({
  ...unleash,
  operationId: 'unleashFrontend',
  method: 'get',
  path: '/unleash/api/frontend',
});

export const unleashFrontendPost = wireOperation({
  ...unleash,
  operationId: 'unleashFrontendPost',
  method: 'post',
  path: '/unleash/api/frontend',
  body: FLAGS_BODY,
});

export const unleashFrontendRegister = wireOperation({
  ...unleash,
  operationId: 'unleashFrontendRegister',
  method: 'post',
  path: '/unleash/api/frontend/client/register',
  body: FLAGS_BODY,
});

export const unleashFrontendMetrics = wireOperation({
  ...unleash,
  operationId: 'unleashFrontendMetrics',
  method: 'post',
  path: '/unleash/api/frontend/client/metrics',
  body: FLAGS_BODY,
});

const posthog = { wire: 'posthog', hosts: EVENT_HOSTS } as const;

const captureAt = (path: string) =>
  [`/posthog/${path}/`, `/posthog/${path}`].map((one) =>
    wireOperation({
      ...posthog,
      service: 'ingestion',
      operationId: 'posthogCapture',
      method: 'post',
      path: one,
      body: EVENTS_BODY,
    }),
  );

/** The addresses of events, from different SDKs and versions. SDKs end them with a slash. */
export const posthogCaptures = ['batch', 'e', 'i/v0/e', 'i/v0/ai/batch', 'capture', 'track'].flatMap(
  captureAt,
);

/** The address of events of SDKs with POSTHOG_CAPTURE_MODE=v1. */
export const posthogAnalytics = captureAt('i/v1/analytics/events');

/** The address of recordings, with the bytes of `POST /v1/replay` and the values of `POST /v1/events`. */
export const posthogSnapshots = ['/posthog/s/', '/posthog/s'].map((path) =>
  wireOperation({
    ...posthog,
    service: 'ingestion',
    operationId: 'posthogSnapshot',
    method: 'post',
    host: 'replay',
    path,
    body: { ...EVENTS_BODY, maxBytes: REPLAY_MAX_BYTES, maxWireBytes: REPLAY_MAX_BYTES },
  }),
);

const posthogConfigOf = (file: 'config' | 'config.js') =>
  wireOperation({
    ...posthog,
    service: 'ingestion',
    operationId: file === 'config' ? 'posthogConfig' : 'posthogConfigScript',
    method: 'get',
    path: `/posthog/array/{token}/${file}`,
  });
/** The settings that the browser SDK loads when it starts. */
export const posthogConfig = posthogConfigOf('config');
export const posthogConfigScript = posthogConfigOf('config.js');

/** The flags of a person. */
export const posthogFlags = ['/posthog/flags/', '/posthog/flags'].map((path) =>
  wireOperation({
    ...posthog,
    service: 'flags',
    operationId: 'posthogFlags',
    method: 'post',
    path,
    body: FLAGS_BODY,
  }),
);

/** The definitions of flags, which SDKs would evaluate with other buckets than ours. Always refused. */
export const posthogDefinitions = [
  '/posthog/flags/definitions',
  '/posthog/api/feature_flag/local_evaluation',
  '/posthog/api/feature_flag/local_evaluation/',
].map((path) =>
  wireOperation({ ...posthog, service: 'flags', operationId: 'posthogDefinitions', method: 'get', path }),
);

/** Every operation of another product's API. */
export const wireOperations: readonly WireOperation[] = [
  segmentCall,
  segmentBeacon,
  unleashFeatures,
  unleashOmitted,
  unleashRegister,
  unleashMetrics,
  unleashFrontend,
  unleashFrontendPost,
  unleashFrontendRegister,
  unleashFrontendMetrics,
  ...posthogCaptures,
  ...posthogAnalytics,
  ...posthogSnapshots,
  posthogConfig,
  posthogConfigScript,
  ...posthogFlags,
  ...posthogDefinitions,
];
