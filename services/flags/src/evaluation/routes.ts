import { evaluateFlags, type FlagEvaluation, listMemberships, readStateTokens } from '@switchboard/contracts';
import { headerOf, type ServiceApp } from '@switchboard/http';
import type { PersonKey } from '@switchboard/user-state';
import type { Context, TypedResponse } from 'hono';
import type { CatchUp, Progress } from '../user-state/catch-up.ts';
import type { Evaluated, Evaluation } from './evaluation.ts';

interface EvaluationDeps {
  evaluation: Evaluation;
  catchUp: CatchUp;
}

type Headers = Record<string, string>;

const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
};

export function evaluationRoutes(app: ServiceApp, { evaluation, catchUp }: EvaluationDeps): void {
  app.implement(evaluateFlags, (c) => {
    const { distinct_id: distinctId, reasons, usage } = c.req.valid('query');
    const person = { projectId: c.get('project').id, distinctId };
    const options = { withReasons: reasons === 'true', isReported: usage === 'reported' };
    const waiting = waitForTokens(c, catchUp, person);
    if (waiting !== undefined) {
      return waiting.then(async (progress) =>
        answer(await evaluation.evaluate(person, { ...options, isAwaited: true }), headersFor(progress)),
      );
    }
    const found = evaluation.evaluate(person, { ...options, isAwaited: false });
    return found instanceof Promise ? found.then((one) => answer(one, headers)) : answer(found, headers);
  });

  app.implement(listMemberships, async (c) => {
    const { distinct_id: distinctId } = c.req.valid('query');
    const person = { projectId: c.get('project').id, distinctId };
    const waiting = waitForTokens(c, catchUp, person);
    const progress = waiting && (await waiting);
    const cohorts = await evaluation.memberships(person, progress !== undefined);
    return respond<{ cohorts: string[] }>(JSON.stringify({ cohorts }), headersFor(progress));
  });
}

function answer({ body, isStateKnown }: Evaluated, known: Headers) {
  return respond<FlagEvaluation>(body, isStateKnown ? known : { ...known, 'X-State': 'unavailable' });
}

/** Waits for the state tokens of a request. Returns undefined if the request has no readable state token. */
function waitForTokens(c: Context, catchUp: CatchUp, person: PersonKey): Promise<Progress> | undefined {
  const tokens = headerOf(c, 'x-state-token');
  if (tokens === undefined) return undefined;
  const positions = readStateTokens(tokens);
  return positions.length === 0 ? undefined : catchUp.waitFor(positions, person);
}

function headersFor(progress: Progress | undefined): Headers {
  if (progress === undefined) return headers;
  const { isApplied, asOf } = progress;
  return {
    ...headers,
    ...(isApplied ? {} : { 'X-State': 'behind' }),
    ...(asOf === undefined ? {} : { 'X-State-As-Of': asOf.toISOString() }),
  };
}

/**
 * The return type declares the content of `body`, which is already serialized. `c.json` would create a Headers
 * object for two headers, which takes as long as the rest of a small response.
 */
function respond<T>(body: string, headers: Headers): Response & TypedResponse<T, 200, 'json'>;
function respond(body: string, headers: Headers): Response {
  return new Response(body, { headers });
}
