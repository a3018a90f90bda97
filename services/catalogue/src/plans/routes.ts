import { deletePlan, getPlan, listManagedPlans, listPlans, putPlan } from '@switchboard/contracts';
import { answerPrepared, type ServiceApp } from '@switchboard/http';
import type { Plans } from './plans.ts';

export function plansRoutes(app: ServiceApp, { plans }: { plans: Plans }): void {
  app.implement(listPlans, (c) =>
    answerPrepared(c, plans.published.current(), { 'Cache-Control': 'public, max-age=300' }),
  );
  app.implement(listManagedPlans, async (c) => c.json({ plans: await plans.list() }, 200));
  app.implement(getPlan, async (c) => c.json(await plans.get(c.req.valid('param')), 200));
  app.implement(putPlan, async (c, { change }) =>
    c.json(await plans.put(change, { ...c.req.valid('json'), ...c.req.valid('param') }), 200),
  );
  app.implement(deletePlan, async (c, { change }) => {
    await plans.remove(change, c.req.valid('param'));
    return c.body(null, 204);
  });
}
