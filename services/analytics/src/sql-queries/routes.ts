import { runSql } from '@switchboard/contracts';
import { BadRequest, type ServiceApp } from '@switchboard/http';
import type { Respond } from '../results/respond.ts';
import type { RunSql } from './sql-queries.ts';

interface SqlQueriesRoutesOptions {
  /** Undefined if the events are in ClickHouse. */
  run: RunSql | undefined;
  respond: Respond;
}

export function sqlQueriesRoutes(app: ServiceApp, { run, respond }: SqlQueriesRoutesOptions): void {
  app.implement(runSql, async (c) => {
    if (run === undefined) {
      throw new BadRequest('query: this deployment queries ClickHouse; SQL reads the files of the archive');
    }
    const { projectId } = c.req.valid('param');
    return respond(c, await run(projectId, c.req.valid('json')));
  });
}
