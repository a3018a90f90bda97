import {
  createScimToken,
  deleteCompanyDomain,
  deleteScimToken,
  getCompanyDomain,
  getSignInSettings,
  listCompanyDomains,
  listScimTokens,
  putCompanyDomain,
  putSignInSettings,
  testSignInProvider,
  verifyCompanyDomain,
} from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { CompanySignIn } from './company-sign-in.ts';

export function companySignInRoutes(app: ServiceApp, signIn: CompanySignIn): void {
  app.implement(getSignInSettings, async (c) =>
    c.json(await signIn.get(c.req.valid('param').companyId), 200),
  );
  app.implement(putSignInSettings, async (c, { change }) =>
    c.json(await signIn.put(change, c.req.valid('param').companyId, c.req.valid('json')), 200),
  );
  app.implement(testSignInProvider, async (c, { change }) =>
    c.json(await signIn.test(change, c.req.valid('param').companyId), 200),
  );
  app.implement(listCompanyDomains, async (c) =>
    c.json({ domains: await signIn.listDomains(c.req.valid('param').companyId) }, 200),
  );
  app.implement(getCompanyDomain, async (c) => {
    const { companyId, domain } = c.req.valid('param');
    return c.json(await signIn.getDomain(companyId, domain), 200);
  });
  app.implement(listScimTokens, async (c) =>
    c.json({ scimTokens: await signIn.listScimTokens(c.req.valid('param').companyId) }, 200),
  );
  app.implement(putCompanyDomain, async (c, { change }) => {
    const { companyId, domain } = c.req.valid('param');
    return c.json(await signIn.addDomain(change, companyId, domain), 200);
  });
  app.implement(verifyCompanyDomain, async (c, { change }) => {
    const { companyId, domain } = c.req.valid('param');
    const isOperator = c.var.authority.hasEverywhere('signIn.write');
    return c.json(await signIn.verifyDomain(change, companyId, domain, isOperator), 200);
  });
  app.implement(deleteCompanyDomain, async (c, { change }) => {
    const { companyId, domain } = c.req.valid('param');
    await signIn.removeDomain(change, companyId, domain);
    return c.body(null, 204);
  });
  app.implement(createScimToken, async (c, { change }) => {
    const { companyId } = c.req.valid('param');
    return c.json(await signIn.createScimToken(change, companyId, c.req.valid('json').name), 201);
  });
  app.implement(deleteScimToken, async (c, { change }) => {
    const { companyId, scimTokenId } = c.req.valid('param');
    await signIn.removeScimToken(change, companyId, scimTokenId);
    return c.body(null, 204);
  });
}
