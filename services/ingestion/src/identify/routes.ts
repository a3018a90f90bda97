import { group, identify } from '@switchboard/contracts';
import type { Quota, RateLimit, ServiceApp, Throttle } from '@switchboard/http';
import { answerDropped, noneAccepted } from '../throttle/dropped.ts';
import type { Identify } from './identify.ts';

interface IdentifyRoutes {
  calls: Identify;
  quota: Quota;
  throttle: Throttle;
  /** Limits the calls of a project that name an anonymous id. */
  joins: RateLimit;
}

/** The number of identify calls with an anonymous id that a project may make in a minute. */
export const JOINS_PER_MINUTE = 6_000;

export function identifyRoutes(app: ServiceApp, { calls, quota, throttle, joins }: IdentifyRoutes): void {
  const options = { quota, authorize: answerDropped(throttle, noneAccepted) };

  app.implement(
    identify,
    async (c) => {
      const call = c.req.valid('json');
      if (call.properties?.anonymous_id) await joins.consume(c.var.project.id);
      throttle.charge(c.var.project, 1);
      const token = await calls.identify(c.var.project.id, call);
      return c.json({ accepted: 1 }, 202, { 'X-State-Token': token });
    },
    options,
  );

  app.implement(
    group,
    async (c) => {
      throttle.charge(c.var.project, 1);
      const token = await calls.group(c.var.project.id, c.req.valid('json'));
      return c.json({ accepted: 1 }, 202, { 'X-State-Token': token });
    },
    options,
  );
}
