import { deleteMember, getMember, listMembers, putMember } from '@switchboard/contracts';
import type { Authority, ServiceApp } from '@switchboard/service-kit';
import type { Editor, Members } from './members.ts';

export function membersRoutes(app: ServiceApp, { members }: { members: Members }): void {
  app.implement(listMembers, async (c) =>
    c.json(await members.list(c.req.valid('param').companyId, c.req.valid('query')), 200),
  );
  app.implement(getMember, async (c) => {
    const { companyId, sub } = c.req.valid('param');
    return c.json(await members.get(companyId, sub), 200);
  });
  app.implement(putMember, async (c) => {
    const { companyId, sub } = c.req.valid('param');
    const editor = await editorOf(c.var.authority, companyId);
    return c.json(await members.put(companyId, { ...c.req.valid('json'), sub }, editor), 200);
  });
  app.implement(deleteMember, async (c) => {
    const { companyId, sub } = c.req.valid('param');
    await members.remove(companyId, sub, await editorOf(c.var.authority, companyId));
    return c.body(null, 204);
  });
}

async function editorOf(authority: Authority, companyId: string): Promise<Editor> {
  return {
    sub: authority.person.sub,
    mayChangeAdmins: await authority.has('admins.write', companyId),
    isOperator: authority.hasEverywhere('admins.write'),
  };
}
