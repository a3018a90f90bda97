import { askInsight, listInsightPeople } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Respond } from '../results/respond.ts';
import type { Insights } from './insights.ts';
import type { ListInsightPeople } from './people.ts';

interface InsightsRoutesOptions {
  insights: Insights;
  people: ListInsightPeople;
  respond: Respond;
}

export function insightsRoutes(app: ServiceApp, { insights, people, respond }: InsightsRoutesOptions): void {
  app.implement(askInsight, async (c) => {
    const { projectId } = c.req.valid('param');
    return respond(c, await insights.ask(projectId, c.req.valid('json')));
  });
  app.implement(listInsightPeople, async (c) => {
    const { projectId } = c.req.valid('param');
    return respond(c, await people(projectId, c.req.valid('json')));
  });
}
