import { deleteMember, getMember, listMembers, putMember } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Members } from './members.ts';

export function membersRoutes(app: ServiceApp, { members }: { members: Members }): void {
  app.implement(listMembers, async (c) =>
    c.json(await members.list(c.req.valid('param').companyId, c.req.valid('query').cursor), 200),
  );
  app.implement(getMember, async (c) => {
    const { companyId, sub } = c.req.valid('param');
    return c.json(await members.get(companyId, sub), 200);
  });
  app.implement(putMember, async (c) => {
    const { companyId, sub } = c.req.valid('param');
    return c.json(await members.put(companyId, { ...c.req.valid('json'), sub }), 200);
  });
  app.implement(deleteMember, async (c) => {
    const { companyId, sub } = c.req.valid('param');
    await members.remove(companyId, sub);
    return c.body(null, 204);
  });
}
