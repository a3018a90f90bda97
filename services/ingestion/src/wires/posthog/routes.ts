import {
  posthogAnalytics,
  posthogCaptures,
  posthogConfig,
  posthogConfigScript,
  posthogSnapshots,
  type WireOperation,
} from '@switchboard/contracts';
import {
  BadRequest,
  type ProjectAccess,
  type Quota,
  type ServiceApp,
  type Throttle,
  unwrapData,
} from '@switchboard/http';
import { type Fields, fieldsOf, fromPostHog, isSnapshot, textOf, timeOf } from '@switchboard/other-products';
import type { Clock } from '@switchboard/runtime';
import type { Context } from 'hono';
import type { WireIntake } from '../intake.ts';
import type { CountLosses } from '../losses.ts';
import { analyticsResults, bearerOf, fromAnalytics } from './analytics.ts';
import type { PosthogRecordings } from './recordings.ts';

const MAX_EVENTS = 1_000;
/** SDKs for servers also send the key in the body alone. */
const MAX_BYTES = 4 * 1_048_576;
const accepted = () => Response.json({ status: 1 });

interface PosthogRoutes {
  intake: WireIntake;
  recordings: PosthogRecordings;
  losses: CountLosses;
  clock: Clock;
  quota: Quota;
  replayQuota: Quota;
  throttle: Throttle;
}

/** Serves the capture API of PostHog and the settings of its browser SDK: https://posthog.com/docs/api. */
export function posthogRoutes(
  app: ServiceApp,
  { intake, recordings, losses, clock, quota, replayQuota, throttle }: PosthogRoutes,
): void {
  function serve(operation: WireOperation, quotaOfOperation: Quota, isAnalytics = false): void {
    app.implementWire(
      operation,
      async ({ c, project, body, unzip }) => {
        const lose = losses(project.id, operation);
        const now = clock.now();
        const sent = eventsOf(body);
        const events = isAnalytics ? sent.map((event) => fromAnalytics(c, event)) : sent;
        if (events.length > MAX_EVENTS) throw new BadRequest(`batch: more than ${MAX_EVENTS} events`);
        c.env.sent = { events: events.length, ...libraryOf(events[0]) };
        const snapshots = events.filter(isSnapshot);
        const others = events.filter((event) => !isSnapshot(event));
        const items = others.flatMap((event) => fromPostHog(event, now, lose));
        const sentAt =
          timeOf(firstOf(body)['sent_at']) ??
          timeOf(c.req.header('PostHog-Request-Timestamp')) ??
          now.toISOString();
        await intake.accept(project, items, { sentAt, lose });
        await recordings.accept(project, snapshots, { sentAt, unzip, lose });
        if (isAnalytics) return analyticsResults(c, events);
        return c.req.query('beacon') === '1' ? new Response(null, { status: 204 }) : accepted();
      },
      {
        keyOf: (c) => (isAnalytics ? bearerOf(c) : c.req.query('token')),
        keyIn,
        keyPlace: isAnalytics ? 'Authorization: Bearer' : 'api_key in the body',
        maxBytesWithoutKey: MAX_BYTES,
        unwrap: unwrapData,
        quota: quotaOfOperation,
        authorize: (project) => (throttle.drops(project) ? accepted() : undefined),
      },
    );
  }
  for (const operation of posthogCaptures) serve(operation, quota);
  for (const operation of posthogAnalytics) serve(operation, quota, true);
  for (const operation of posthogSnapshots) serve(operation, replayQuota);

  const options = { keyOf: (c: Context) => c.req.param('token'), keyPlace: 'the path' };
  const headers = { 'Cache-Control': 'public, max-age=300' };
  app.implementWire(
    posthogConfig,
    ({ c, project }) => c.json(configOf(c.req.param('token') ?? '', project), 200, headers),
    options,
  );
  app.implementWire(
    posthogConfigScript,
    ({ c, project }) => {
      const token = c.req.param('token') ?? '';
      const entry = JSON.stringify({ config: configOf(token, project), siteApps: [] });
      const all = 'window._POSTHOG_REMOTE_CONFIG';
      const script = `${all}=${all}||{};${all}[${JSON.stringify(token)}]=${entry};`;
      return new Response(script, {
        headers: { ...headers, 'Content-Type': 'application/javascript; charset=utf-8' },
      });
    },
    options,
  );
}

/** Switches off the parts of the SDK that have no counterpart. */
const CONFIG = {
  supportedCompression: ['gzip', 'gzip-js'],
  hasFeatureFlags: true,
  captureDeadClicks: false,
  capturePerformance: false,
  autocaptureExceptions: false,
  analytics: { endpoint: '/i/v0/e/' },
  elementsChainAsString: true,
  heatmaps: false,
  surveys: false,
  productTours: false,
  conversations: false,
  logs: false,
  defaultIdentifiedOnly: true,
  isAuthenticated: false,
  toolbarParams: {},
  siteApps: [],
};

/** The marks of our own recorder, in addition to those of PostHog. The options of a page override it. */
const MASKING = {
  maskAllInputs: true,
  maskTextSelector: '[data-switchboard-mask],[data-switchboard-mask] *',
  blockSelector: '[data-switchboard-block],switchboard-messenger',
};

/** Returns the settings of the browser SDK. The key has letters, digits and underscores alone. */
function configOf(key: string, { eventsPerSecond }: ProjectAccess) {
  // With the key in the address, the limits of the project apply before the body is read.
  const sessionRecording = { endpoint: `/s/?token=${key}`, masking: MASKING };
  return { ...CONFIG, token: key, sessionRecording: eventsPerSecond === 0 ? false : sessionRecording };
}

function eventsOf(body: unknown): Fields[] {
  if (Array.isArray(body)) return body.map(fieldsOf);
  const { batch, data } = fieldsOf(body);
  const events = [batch, data].find(Array.isArray);
  return events === undefined ? [fieldsOf(body)] : events.map(fieldsOf);
}

/** A body has the key and the time of sending itself, or in each of several events. */
const firstOf = (body: unknown): Fields => fieldsOf(Array.isArray(body) ? body[0] : body);

/** Returns the name and version of the SDK of an event. */
function libraryOf(event: Fields | undefined) {
  const properties = fieldsOf(event?.['properties']);
  return { sdk: textOf(properties['$lib']), version: textOf(properties['$lib_version']) };
}

function keyIn(body: unknown): string | undefined {
  const request = firstOf(body);
  return (
    textOf(request['api_key']) ?? textOf(request['token']) ?? textOf(fieldsOf(request['properties'])['token'])
  );
}
