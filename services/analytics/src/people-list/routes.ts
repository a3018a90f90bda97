import { listPeople } from '@switchboard/contracts';
import { answerPrepared, etagOf, type ServiceApp } from '@switchboard/http';
import type { ListPeople } from './people-list.ts';

export function peopleListRoutes(app: ServiceApp, { list }: { list: ListPeople }): void {
  app.implement(listPeople, async (c) => {
    const body = await list(c.req.valid('param').projectId, c.req.valid('query'));
    return answerPrepared(c, { body, etag: etagOf(body) });
  });
}
