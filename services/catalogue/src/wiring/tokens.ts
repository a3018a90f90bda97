import type { Companies } from '../companies/companies.ts';
import type { WriteRate } from '../companies/write-rate.ts';
import type { Catalogue } from '../config.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { tokensRoutes } from '../tokens/routes.ts';
import { createTokensStore } from '../tokens/store.ts';
import { createTokens } from '../tokens/tokens.ts';
import { createTokenUses } from '../tokens/uses.ts';

interface Needs {
  outbox: Outbox;
  companies: Companies;
  rate: WriteRate;
}

/** Opens personal access tokens and service tokens. */
export function openTokens(service: Catalogue, { rate, ...needs }: Needs): void {
  const { app, config, db, run } = service;
  tokensRoutes(app, { tokens: createTokens({ ...service, ...needs, maxDays: config.TOKEN_MAX_DAYS }), rate });
  run(createTokenUses({ ...service, noteUses: createTokensStore(db).noteUses }));
}
