import { askInsight, type ReportContent } from '@switchboard/contracts';
import { answerPrepared, isFresh, type ServiceApp } from '@switchboard/service-kit';
import type { Context, TypedResponse } from 'hono';
import type { Asked, Insights } from './insights.ts';

export function insightsRoutes(app: ServiceApp, { insights }: { insights: Insights }): void {
  app.implement(askInsight, async (c) => {
    const { projectId } = c.req.valid('param');
    return respond(c, await insights.ask(projectId, c.req.valid('json')));
  });
}

/** Nothing is computed for somebody who has the answer. */
function respond(
  c: Context,
  asked: Asked,
): Promise<Response & TypedResponse<{ asOf: string; report: ReportContent }, 200, 'json'>>;
async function respond(c: Context, asked: Asked): Promise<Response> {
  const headers = { 'Cache-Control': 'private, no-cache' };
  if (isFresh(c, asked.etag))
    return new Response(null, { status: 304, headers: { ...headers, ETag: asked.etag } });
  return answerPrepared(c, await asked.answer(), headers);
}
