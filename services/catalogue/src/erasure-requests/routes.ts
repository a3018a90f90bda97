import { eraseColleague, erasePerson } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { ErasureRequests } from './erasure-requests.ts';

export function erasureRequestsRoutes(app: ServiceApp, { requests }: { requests: ErasureRequests }): void {
  app.implement(erasePerson, async (c, { change }) =>
    c.json(await requests.erasePerson(change, c.req.valid('param').projectId, c.req.valid('json')), 202),
  );
  app.implement(eraseColleague, async (c, { change }) =>
    c.json(await requests.eraseColleague(change, c.req.valid('json').sub), 202),
  );
}
