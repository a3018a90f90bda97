import { evaluateFlags, type FlagEvaluation, listMemberships } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Context, TypedResponse } from 'hono';
import type { Evaluation } from './evaluation.ts';
import { evaluationJson } from './fragments.ts';

type Headers = Record<string, string>;

const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
};
const headersWithoutState = { ...headers, 'X-State': 'unavailable' };

export function evaluationRoutes(app: ServiceApp, evaluation: Evaluation): void {
  app.implement(evaluateFlags, async (c) => {
    const { distinct_id, reasons } = c.req.valid('query');
    const { decisions, knowsPerson } = await evaluation.evaluate(c.get('project').id, distinct_id);
    const json = evaluationJson(decisions, reasons === 'true');
    return answer(c, json, knowsPerson ? headers : headersWithoutState);
  });

  app.implement(listMemberships, async (c) => {
    const { distinct_id } = c.req.valid('query');
    const cohorts = await evaluation.memberships(c.get('project').id, distinct_id);
    return c.json({ cohorts }, 200, headers);
  });
}

/** The declared type says what the JSON holds, which is written piece by piece. */
function answer(
  c: Context,
  json: string,
  headers: Headers,
): Response & TypedResponse<FlagEvaluation, 200, 'json'>;
function answer(c: Context, json: string, headers: Headers): Response {
  return c.body(json, 200, headers);
}
