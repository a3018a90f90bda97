import { askInsight } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Respond } from '../results/respond.ts';
import type { Insights } from './insights.ts';

interface InsightsRoutesOptions {
  insights: Insights;
  respond: Respond;
}

export function insightsRoutes(app: ServiceApp, { insights, respond }: InsightsRoutesOptions): void {
  app.implement(askInsight, async (c) => {
    const { projectId } = c.req.valid('param');
    return respond(c, await insights.ask(projectId, c.req.valid('json')));
  });
}
