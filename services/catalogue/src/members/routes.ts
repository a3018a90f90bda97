import { deleteMember, getMember, listMembers, putMember } from '@switchboard/contracts';
import type { Authority, ServiceApp } from '@switchboard/http';
import type { WriteRate } from '../companies/write-rate.ts';
import type { Editor, Members, Reader } from './members.ts';

interface MembersDeps {
  members: Members;
  rate: WriteRate;
}

export function membersRoutes(app: ServiceApp, { members, rate }: MembersDeps): void {
  app.implement(listMembers, async (c) => {
    const { companyId } = c.req.valid('param');
    const reader = await readerOf(c.var.authority, companyId);
    return c.json(await members.list(companyId, c.req.valid('query'), reader), 200);
  });
  app.implement(getMember, async (c) => {
    const { companyId, sub } = c.req.valid('param');
    return c.json(await members.get(companyId, sub, await readerOf(c.var.authority, companyId)), 200);
  });
  app.implement(
    putMember,
    async (c, { change }) => {
      const { companyId, sub } = c.req.valid('param');
      const editor = await editorOf(c.var.authority, companyId, c.req.valid('query'));
      return c.json(await members.put(change, companyId, { ...c.req.valid('json'), sub }, editor), 200);
    },
    rate,
  );
  app.implement(
    deleteMember,
    async (c, { change }) => {
      const { companyId, sub } = c.req.valid('param');
      const editor = await editorOf(c.var.authority, companyId, c.req.valid('query'));
      const left = await members.remove(change, companyId, sub, editor);
      return left.serviceTokens.length === 0 ? c.body(null, 204) : c.json(left, 200);
    },
    rate,
  );
}

async function readerOf(authority: Authority, companyId: string): Promise<Reader> {
  return {
    sub: authority.person.sub,
    mayReadContacts: await authority.has('members.read', companyId),
  };
}

async function editorOf(
  authority: Authority,
  companyId: string,
  { keepServiceTokens }: { keepServiceTokens: boolean },
): Promise<Editor> {
  return {
    sub: authority.person.sub,
    mayChangeAdmins: await authority.has('admins.write', companyId),
    isOperator: authority.hasEverywhere('admins.write'),
    keepsServiceTokens: keepServiceTokens,
  };
}
