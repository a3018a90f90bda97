import { evaluateFlags, type FlagEvaluation, listMemberships } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { TypedResponse } from 'hono';
import type { Evaluation } from './evaluation.ts';

type Headers = Record<string, string>;

const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
};
const headersWithoutState = { ...headers, 'X-State': 'unavailable' };

export function evaluationRoutes(app: ServiceApp, evaluation: Evaluation): void {
  app.implement(evaluateFlags, async (c) => {
    const { distinct_id, reasons } = c.req.valid('query');
    const project = c.get('project');
    const { json, knowsPerson } = await evaluation.evaluate(project.id, distinct_id, reasons === 'true');
    return answer(json, knowsPerson ? headers : headersWithoutState);
  });

  app.implement(listMemberships, async (c) => {
    const { distinct_id } = c.req.valid('query');
    const cohorts = await evaluation.memberships(c.get('project').id, distinct_id);
    return c.json({ cohorts }, 200, headers);
  });
}

/** The declared type says what the JSON holds, which is written piece by piece. */
function answer(json: string, headers: Headers): Response & TypedResponse<FlagEvaluation, 200, 'json'>;
function answer(json: string, headers: Headers): Response {
  return new Response(json, { headers });
}
