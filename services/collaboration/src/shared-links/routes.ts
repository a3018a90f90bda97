import { getSharedReport } from '@switchboard/contracts';
import { answerPrepared, type ServiceApp } from '@switchboard/http';
import type { Context, TypedResponse } from 'hono';
import { PRIVATE_HEADERS } from './keep-private.ts';
import type { SharedLinks } from './shared-links.ts';
import type { Run } from './store.ts';

export function sharedLinksRoutes(app: ServiceApp, { sharedLinks }: { sharedLinks: SharedLinks }): void {
  app.implement(
    getSharedReport,
    async (c) => {
      const { run } = await sharedLinks.readReport(c.req.valid('param').token, c.env.address);
      return respondWithRun(c, run);
    },
    { errorHeaders: PRIVATE_HEADERS },
  );
}

const NO_RUN = Buffer.from('{"report":null}');

/** Sends the cached bytes of the run, unless the client already has them. */
function respondWithRun(
  c: Context,
  run: Run | undefined,
): Response & TypedResponse<{ report: JsonValue }, 200, 'json'>;
function respondWithRun(c: Context, run: Run | undefined): Response {
  const prepared = { body: run?.body ?? NO_RUN, etag: `"${run?.runId ?? 'none'}"` };
  return answerPrepared(c, prepared, PRIVATE_HEADERS);
}

type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
