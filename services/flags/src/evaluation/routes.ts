import { evaluateFlags, type FlagEvaluation, listMemberships, readStateTokens } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Context, TypedResponse } from 'hono';
import type { Reached, StateWaits } from '../user-state/state-waits.ts';
import type { Evaluation } from './evaluation.ts';

type Headers = Record<string, string>;

const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
};
const headersWithoutState = { ...headers, 'X-State': 'unavailable' };

export function evaluationRoutes(app: ServiceApp, evaluation: Evaluation, waits: StateWaits): void {
  app.implement(evaluateFlags, async (c) => {
    const { distinct_id, reasons } = c.req.valid('query');
    const project = c.get('project');
    const reached = await whenReached(c, waits);
    const { json, knowsPerson } = await evaluation.evaluate(project.id, distinct_id, reasons === 'true');
    return answer(json, knowsPerson ? headersAt(reached) : { ...headersAt(reached), ...headersWithoutState });
  });

  app.implement(listMemberships, async (c) => {
    const { distinct_id } = c.req.valid('query');
    const reached = await whenReached(c, waits);
    const cohorts = await evaluation.memberships(c.get('project').id, distinct_id);
    return c.json({ cohorts }, 200, headersAt(reached));
  });
}

/** undefined at once for a request without a token that says anything. */
async function whenReached(c: Context, waits: StateWaits): Promise<Reached | undefined> {
  const tokens = c.req.header('x-state-token');
  if (tokens === undefined) return undefined;
  const positions = readStateTokens(tokens);
  return positions.length === 0 ? undefined : waits.reached(positions);
}

function headersAt(reached: Reached | undefined): Headers {
  if (reached === undefined) return headers;
  const { isApplied, asOf } = reached;
  return {
    ...headers,
    ...(isApplied ? {} : { 'X-State': 'behind' }),
    ...(asOf === undefined ? {} : { 'X-State-As-Of': asOf.toISOString() }),
  };
}

/** The declared type says what the JSON holds, which is written piece by piece. */
function answer(json: string, headers: Headers): Response & TypedResponse<FlagEvaluation, 200, 'json'>;
function answer(json: string, headers: Headers): Response {
  return new Response(json, { headers });
}
