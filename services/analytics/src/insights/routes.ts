import { askInsight } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Insights } from './insights.ts';
import { respond } from './respond.ts';

export function insightsRoutes(app: ServiceApp, { insights }: { insights: Insights }): void {
  app.implement(askInsight, async (c) => {
    const { projectId } = c.req.valid('param');
    return respond(c, await insights.ask(projectId, c.req.valid('json')));
  });
}
