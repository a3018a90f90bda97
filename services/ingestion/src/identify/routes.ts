import { group, identify } from '@switchboard/contracts';
import type { Quota, ServiceApp, Throttle } from '@switchboard/http';
import { answerDropped, noneAccepted } from '../throttle/dropped.ts';
import type { Identify } from './identify.ts';
import type { JoinLimit } from './join-limit.ts';

const ONE_CALL = { events: 1 };

interface IdentifyRoutes {
  calls: Identify;
  quota: Quota;
  throttle: Throttle;
  joins: JoinLimit;
}

export function identifyRoutes(app: ServiceApp, { calls, quota, throttle, joins }: IdentifyRoutes): void {
  const options = { quota, authorize: answerDropped(throttle, noneAccepted) };

  app.implement(
    identify,
    async (c) => {
      const call = c.req.valid('json');
      const { id } = c.var.project;
      throttle.charge(c.var.project, 1);
      c.env.sent = ONE_CALL;
      const isJoining = Boolean(call.properties?.anonymous_id) && (await joins.allows(id));
      const token = await calls.identify(id, call, isJoining);
      return c.json({ accepted: 1 }, 202, { 'X-State-Token': token });
    },
    options,
  );

  app.implement(
    group,
    async (c) => {
      throttle.charge(c.var.project, 1);
      c.env.sent = ONE_CALL;
      const token = await calls.group(c.var.project.id, c.req.valid('json'));
      return c.json({ accepted: 1 }, 202, { 'X-State-Token': token });
    },
    options,
  );
}
