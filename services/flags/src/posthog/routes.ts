import { isObject, posthogDefinitions, posthogFlags } from '@switchboard/contracts';
import { BadRequest, Forbidden, type ServiceApp, unwrapData } from '@switchboard/http';
import type { createPosthogFlags, PosthogPerson } from './posthog.ts';

const MAX_ID = 200;

/** Serves the flags API of PostHog: https://posthog.com/docs/api/flags. */
export function posthogRoutes(app: ServiceApp, flagsOf: ReturnType<typeof createPosthogFlags>): void {
  for (const operation of posthogFlags) {
    app.implementWire(
      operation,
      async ({ c, project, body }) => {
        c.env.sent = { events: 0, ...sdkOf(c.req.header('User-Agent')) };
        const answer = await flagsOf(project.id, personOf(fieldsOf(body)));
        return c.json(answer, 200, { 'Cache-Control': 'no-store' });
      },
      {
        keyOf: (c) => c.req.query('token'),
        keyIn: (body) => textOf(fieldsOf(body)['token']) ?? textOf(fieldsOf(body)['api_key']),
        keyPlace: 'token in the body',
        unwrap: unwrapData,
      },
    );
  }

  for (const operation of posthogDefinitions) {
    app.implementWire(
      operation,
      () => {
        throw new Forbidden(
          'Local evaluation is not supported: the SDK would put people in other buckets. It asks the server instead.',
        );
      },
      { keyOf: (c) => c.req.query('token'), keyPlace: 'token in the query' },
    );
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** SDKs for servers name themselves, such as `posthog-node/5.70.0`. */
function sdkOf(userAgent: string | undefined) {
  const [, sdk, version] = /^(posthog-[a-z-]+)\/(\S+)/.exec(userAgent ?? '') ?? [];
  return { sdk, version };
}

function personOf(body: Record<string, unknown>): PosthogPerson {
  const { distinct_id: distinctId, person_properties: properties, group_properties: groups } = body;
  if (typeof distinctId !== 'string') throw new BadRequest('distinct_id: required, a text');
  if (distinctId.length > 2 * MAX_ID || distinctId.includes('\0'))
    throw new BadRequest(`distinct_id: longer than ${MAX_ID} characters`);
  const ofGroups = Object.entries(fieldsOf(groups)).flatMap(([type, traits]) =>
    Object.entries(fieldsOf(traits)).map(([name, value]) => [`group.${type}.${name}`, value] as const),
  );
  const keys = body['flag_keys_to_evaluate'];
  return {
    distinctId,
    attributes: { ...fieldsOf(properties), ...Object.fromEntries(ofGroups) },
    ...(Array.isArray(keys) && { keys: keys.filter((key) => typeof key === 'string') }),
  };
}
