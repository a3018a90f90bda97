import type { ServerResponse } from 'node:http';
import { type AuditQuery, listAudit, listCompanyAudit, listProjectAudit } from '@switchboard/contracts';
import { headerOf, type ServiceApp } from '@switchboard/http';
import type { Logger } from '@switchboard/runtime';
import type { Context } from 'hono';
import type { Projects } from '../projects/projects.ts';
import type { Audit, AuditPlace } from './audit.ts';

interface AuditDeps {
  audit: Audit;
  projects: Pick<Projects, 'get'>;
  logger: Logger;
}

const LINES_TYPE = 'application/x-ndjson';

export function auditRoutes(app: ServiceApp, { audit, projects, logger }: AuditDeps): void {
  app.implement(listAudit, (c) => answer(c, {}, c.req.valid('query')));

  app.implement(listCompanyAudit, (c) =>
    answer(c, { companyId: c.req.valid('param').companyId }, c.req.valid('query')),
  );

  app.implement(listProjectAudit, async (c) => {
    // Entries from before the project moved to its current company belong to the previous company.
    const { id: projectId, companyId } = await projects.get(c.req.valid('param').projectId);
    return answer(c, { companyId, projectId }, c.req.valid('query'));
  });

  async function answer(
    c: Context,
    place: AuditPlace,
    { format, cursor, limit, ...filters }: AuditQuery,
  ): Promise<Response> {
    if (format === 'json' && !headerOf(c, 'accept')?.includes(LINES_TYPE))
      return c.json(await audit.list(place, filters, { cursor, limit }), 200);
    const lines = abortOnError(audit.lines(place, filters), c.env.requestId, c.env.outgoing);
    return new Response(ReadableStream.from(lines), {
      headers: { 'Content-Type': `${LINES_TYPE}; charset=utf-8` },
    });
  }

  /**
   * Closes the connection if reading fails: the status is already sent, so this is what marks the body as
   * incomplete.
   */
  async function* abortOnError(
    lines: AsyncGenerator<Uint8Array>,
    requestId: string,
    outgoing: ServerResponse | undefined,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* lines;
    } catch (error) {
      logger.error({ requestId, error }, 'exporting the audit trail failed');
      if (outgoing === undefined) throw error;
      outgoing.destroy();
    }
  }
}
