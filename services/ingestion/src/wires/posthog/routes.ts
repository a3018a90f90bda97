import { posthogCaptures, posthogConfig, posthogConfigScript } from '@switchboard/contracts';
import { BadRequest, type Quota, type ServiceApp, type Throttle, unwrapData } from '@switchboard/http';
import { type Fields, fieldsOf, fromPostHog, textOf, timeOf } from '@switchboard/other-products';
import type { Clock } from '@switchboard/runtime';
import type { Context } from 'hono';
import type { WireIntake } from '../intake.ts';
import type { CountLosses } from '../losses.ts';

const MAX_EVENTS = 1_000;
/** SDKs for servers also send the key in the body alone. */
const MAX_BYTES = 4 * 1_048_576;
const accepted = () => Response.json({ status: 1 });

interface PosthogRoutes {
  intake: WireIntake;
  losses: CountLosses;
  clock: Clock;
  quota: Quota;
  throttle: Throttle;
}

/** Serves the capture API of PostHog and the settings of its browser SDK: https://posthog.com/docs/api. */
export function posthogRoutes(
  app: ServiceApp,
  { intake, losses, clock, quota, throttle }: PosthogRoutes,
): void {
  for (const operation of posthogCaptures) {
    app.implementWire(
      operation,
      async ({ project, body }) => {
        const lose = losses(project.id, operation);
        const now = clock.now();
        const events = eventsOf(body);
        if (events.length > MAX_EVENTS) throw new BadRequest(`batch: more than ${MAX_EVENTS} events`);
        const items = events.flatMap((event) => fromPostHog(event, now, lose));
        const sentAt = timeOf(fieldsOf(body)['sent_at']) ?? now.toISOString();
        await intake.accept(project, items, { sentAt, lose });
        return accepted();
      },
      {
        keyOf: (c) => c.req.query('token'),
        keyIn,
        keyPlace: 'api_key in the body',
        maxBytesWithoutKey: MAX_BYTES,
        unwrap: unwrapData,
        quota,
        authorize: (project) => (throttle.drops(project) ? accepted() : undefined),
      },
    );
  }

  const options = { keyOf: (c: Context) => c.req.param('token'), keyPlace: 'the path' };
  const headers = { 'Cache-Control': 'public, max-age=300' };
  const configOf = (c: Context) => ({ ...CONFIG, token: c.req.param('token') });
  app.implementWire(posthogConfig, ({ c }) => c.json(configOf(c), 200, headers), options);
  app.implementWire(
    posthogConfigScript,
    ({ c }) => {
      // The key has letters, digits and underscores alone.
      const entry = JSON.stringify({ config: configOf(c), siteApps: [] });
      const all = 'window._POSTHOG_REMOTE_CONFIG';
      const script = `${all}=${all}||{};${all}[${JSON.stringify(c.req.param('token'))}]=${entry};`;
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
  sessionRecording: false,
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

function eventsOf(body: unknown): Fields[] {
  if (Array.isArray(body)) return body.map(fieldsOf);
  const { batch } = fieldsOf(body);
  return Array.isArray(batch) ? batch.map(fieldsOf) : [fieldsOf(body)];
}

function keyIn(body: unknown): string | undefined {
  const request = fieldsOf(Array.isArray(body) ? body[0] : body);
  return (
    textOf(request['api_key']) ?? textOf(request['token']) ?? textOf(fieldsOf(request['properties'])['token'])
  );
}
