import {
  isObject,
  unleashFeatures,
  unleashFrontend,
  unleashFrontendMetrics,
  unleashFrontendPost,
  unleashFrontendRegister,
  unleashMetrics,
  unleashOmitted,
  unleashRegister,
  type WireOperation,
} from '@switchboard/contracts';
import { answerPrepared, authorization, BadRequest, type ServiceApp } from '@switchboard/http';
import type { Context } from 'hono';
import type { Unleash, UnleashContext } from './unleash.ts';

/** SDKs send their token without a scheme. */
const options = {
  keyOf: (c: Context) => /^(?:Bearer +)?(\S+)\s*$/i.exec(authorization(c) ?? '')?.[1],
  keyPlace: 'Authorization, without a scheme',
};
const NO_STORE = { 'Cache-Control': 'no-store' };
const accepted = () => new Response(null, { status: 202 });
const MAX_ID = 200;

/** Serves the client and frontend APIs of Unleash: https://docs.getunleash.io/api. */
export function unleashRoutes(app: ServiceApp, unleash: Unleash): void {
  const serve = (operation: WireOperation, handler: Parameters<ServiceApp['implementWire']>[1]) =>
    app.implementWire(
      operation,
      (request) => {
        const { c, body } = request;
        c.env.sent = { events: 0, ...sdkOf(c.req.header('unleash-sdk') ?? fieldsOf(body)['sdkVersion']) };
        return handler(request);
      },
      options,
    );

  serve(unleashFeatures, async ({ c, project }) => answerPrepared(c, await unleash.features(project.id)));

  serve(unleashOmitted, async ({ c, project }) => c.json({ flags: await unleash.omitted(project.id) }));

  serve(unleashFrontend, async ({ c, project }) =>
    answerPrepared(c, await unleash.toggles(project.id, contextOfQuery(c)), NO_STORE),
  );

  serve(unleashFrontendPost, async ({ c, project, body }) =>
    answerPrepared(c, await unleash.toggles(project.id, contextOf(fieldsOf(body)['context'])), NO_STORE),
  );

  for (const operation of [unleashRegister, unleashFrontendRegister]) serve(operation, accepted);

  for (const operation of [unleashMetrics, unleashFrontendMetrics]) {
    serve(operation, async ({ project, body }) => {
      const { toggles } = fieldsOf(fieldsOf(body)['bucket']);
      const reported = Object.entries(fieldsOf(toggles)).map(([key, counts]) => {
        const { yes, no, variants } = fieldsOf(counts);
        return [key, { yes, no, variants: fieldsOf(variants) }] as const;
      });
      await unleash.report(project.id, Object.fromEntries(reported));
      return accepted();
    });
  }
}

/** SDKs name themselves, such as `unleash-node-sdk:6.12.1`. */
function sdkOf(value: unknown) {
  const [, sdk, version] = /^(.+?)[:@](.+)$/.exec(typeof value === 'string' ? value : '') ?? [];
  return { sdk, version };
}

const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

function contextOf(value: unknown): UnleashContext {
  const { userId, properties } = fieldsOf(value);
  return { userId: idOf(userId), properties: fieldsOf(properties) };
}

/** Reads `userId=ada&properties[plan]=pro`. */
function contextOfQuery(c: Context): UnleashContext {
  const properties = Object.entries(c.req.query()).flatMap(([name, value]) => {
    const property = /^properties\[(.+)\]$/s.exec(name)?.[1];
    return property === undefined ? [] : [[property, value] as const];
  });
  return { userId: idOf(c.req.query('userId')), properties: Object.fromEntries(properties) };
}

function idOf(value: unknown): string {
  const id = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (id.length > 2 * MAX_ID || id.includes('\0'))
    throw new BadRequest(`userId: longer than ${MAX_ID} characters`);
  return id;
}
