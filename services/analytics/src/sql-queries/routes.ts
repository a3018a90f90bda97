import { runSql } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Respond } from '../results/respond.ts';
import type { RunSql } from './sql-queries.ts';

interface SqlQueriesRoutesOptions {
  run: RunSql;
  respond: Respond;
}

export function sqlQueriesRoutes(app: ServiceApp, { run, respond }: SqlQueriesRoutesOptions): void {
  app.implement(runSql, async (c) => {
    const { projectId } = c.req.valid('param');
    const left = new AbortController();
    c.env.outgoing?.once('close', () => left.abort());
    return respond(c, await run(projectId, c.req.valid('json'), left.signal));
  });
}
