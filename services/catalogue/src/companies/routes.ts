import {
  deleteCompany,
  deleteMember,
  getCompany,
  getMember,
  listCompanies,
  listMembers,
  putCompany,
  putMember,
} from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Companies } from './companies.ts';
import type { Members } from './members.ts';

export function serveCompanies(app: ServiceApp, companies: Companies): void {
  app.implement(listCompanies, async (c) => c.json(await companies.list(c.req.valid('query').cursor), 200));
  app.implement(getCompany, async (c) => c.json(await companies.get(c.req.valid('param').companyId), 200));
  app.implement(putCompany, async (c) =>
    c.json(await companies.put({ ...c.req.valid('json'), id: c.req.valid('param').companyId }), 200),
  );
  app.implement(deleteCompany, async (c) => {
    await companies.remove(c.req.valid('param').companyId);
    return c.body(null, 204);
  });
}

export function serveMembers(app: ServiceApp, members: Members): void {
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
