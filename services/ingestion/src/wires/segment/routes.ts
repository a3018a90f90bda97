import { segmentBeacon, segmentCall, type WireOperation } from '@switchboard/contracts';
import {
  BadRequest,
  basicUser,
  bearer,
  NotFound,
  type ProjectAccess,
  type Quota,
  type ServiceApp,
  type Throttle,
} from '@switchboard/http';
import {
  type Fields,
  fieldsOf,
  fromSegment,
  isBatch,
  textOf,
  timeOf,
  typeOf,
} from '@switchboard/other-products';
import type { Clock } from '@switchboard/runtime';
import type { Context } from 'hono';
import type { WireIntake } from '../intake.ts';
import type { CountLosses } from '../losses.ts';

const MAX_MESSAGES = 1_000;
const accepted = () => Response.json({ success: true });

interface SegmentRoutes {
  intake: WireIntake;
  losses: CountLosses;
  clock: Clock;
  quota: Quota;
  throttle: Throttle;
}

/** Serves the HTTP API of Segment, which RudderStack shares: https://segment.com/docs/connections/sources/catalog/libraries/server/http-api. */
export function segmentRoutes(
  app: ServiceApp,
  { intake, losses, clock, quota, throttle }: SegmentRoutes,
): void {
  async function accept(
    operation: WireOperation,
    { env, req }: Context,
    project: ProjectAccess,
    body: unknown,
  ) {
    const call = req.param('call') ?? '';
    const type = typeOf(call);
    if (type === undefined && !isBatch(call))
      throw new NotFound(`Not found: ${call} is not a call of Segment.`);
    const lose = losses(project.id, operation);
    const request = fieldsOf(body);
    const now = clock.now().toISOString();
    const messages = type === undefined ? messagesOf(request) : [request];
    env.sent = { events: messages.length, ...libraryOf(messages[0], request) };
    const items = messages.flatMap((message) =>
      fromSegment(
        { ...message, context: { ...fieldsOf(request['context']), ...fieldsOf(message['context']) } },
        { ...(type && { type }), now },
        lose,
      ),
    );
    const sentAt = timeOf(request['sentAt']) ?? now;
    const [reason] = await intake.accept(project, items, { sentAt, lose });
    // A batch may contain messages that are kept.
    if (reason !== undefined && type !== undefined) throw new BadRequest(reason);
    return accepted();
  }

  for (const operation of [segmentCall, segmentBeacon]) {
    app.implementWire(operation, ({ c, project, body }) => accept(operation, c, project, body), {
      keyOf: (c) => basicUser(c) ?? bearer(c) ?? c.req.query('writeKey'),
      keyIn: (body) => textOf(fieldsOf(body)['writeKey']),
      keyPlace: 'the user name of Basic authentication, or as writeKey in the body',
      quota,
      authorize: (project) => (throttle.drops(project) ? accepted() : undefined),
    });
  }
}

/** Returns the name and version of the SDK of a message. */
function libraryOf(message: Fields | undefined, request: Fields) {
  const library = [message, request]
    .map((one) => fieldsOf(fieldsOf(one?.['context'])['library']))
    .find(({ name }) => name !== undefined);
  return { sdk: textOf(library?.['name']), version: textOf(library?.['version']) };
}

function messagesOf(request: Record<string, unknown>) {
  const { batch } = request;
  if (!Array.isArray(batch)) throw new BadRequest('batch: required, an array of messages');
  if (batch.length > MAX_MESSAGES) throw new BadRequest(`batch: more than ${MAX_MESSAGES} messages`);
  return batch.map(fieldsOf);
}
