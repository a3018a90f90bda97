import { createApiToken, listApiTokens, revokeApiToken, rotateApiToken } from '@switchboard/contracts';
import type { Authority, ServiceApp } from '@switchboard/http';
import type { WriteRate } from '../companies/write-rate.ts';
import type { TokenCaller, Tokens } from './tokens.ts';

export function tokensRoutes(app: ServiceApp, { tokens, rate }: { tokens: Tokens; rate: WriteRate }): void {
  app.implement(listApiTokens, async (c) => {
    const { companyId } = c.req.valid('param');
    const { sub, isAdmin } = await callerOf(c.var.authority, companyId);
    const selection = { ...c.req.valid('query'), ...(isAdmin ? {} : { sub }) };
    return c.json(await tokens.list(companyId, selection), 200);
  });
  app.implement(
    createApiToken,
    async (c, { change }) => {
      const { companyId } = c.req.valid('param');
      const caller = await callerOf(c.var.authority, companyId);
      return c.json(await tokens.create(change, companyId, c.req.valid('json'), caller), 201);
    },
    rate,
  );
  app.implement(
    rotateApiToken,
    async (c, { change }) => {
      const { companyId, tokenId } = c.req.valid('param');
      const caller = await callerOf(c.var.authority, companyId);
      return c.json(await tokens.rotate(change, companyId, tokenId, c.req.valid('json'), caller), 200);
    },
    rate,
  );
  app.implement(
    revokeApiToken,
    async (c, { change }) => {
      const { companyId, tokenId } = c.req.valid('param');
      await tokens.revoke(change, companyId, tokenId, await callerOf(c.var.authority, companyId));
      return c.body(null, 204);
    },
    rate,
  );
}

async function callerOf(authority: Authority, companyId: string): Promise<TokenCaller> {
  const { person, token } = authority;
  return {
    sub: person.sub,
    expiresAt: token === undefined ? undefined : new Date(token.expiresAt),
    isAdmin: await authority.has('tokens.write', companyId),
    require: (permission) => authority.require(permission, companyId),
  };
}
