import { getGroup, listGroups } from '@switchboard/contracts';
import { answerPrepared, etagOf, type ServiceApp } from '@switchboard/http';
import type { Groups } from './groups.ts';

export function groupsRoutes(app: ServiceApp, groups: Groups): void {
  app.implement(listGroups, async (c) => {
    const body = await groups.list(c.req.valid('param').projectId, c.req.valid('query'));
    return answerPrepared(c, { body, etag: etagOf(body) });
  });
  app.implement(getGroup, async (c) => {
    const { projectId, ...group } = c.req.valid('param');
    const body = await groups.find(projectId, group, c.req.valid('query'));
    return answerPrepared(c, { body, etag: etagOf(body) });
  });
}
