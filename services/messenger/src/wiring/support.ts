import { createSearchConfigurationOf } from '../conversations/languages.ts';
import { createListStore } from '../conversations/list/store.ts';
import { createImports } from '../imports/imports.ts';
import { importsRoutes } from '../imports/routes.ts';
import { createImportsStore } from '../imports/store.ts';
import { supportRoutes } from '../support/routes.ts';
import { createSearchQueue, SEARCH_LIMITS } from '../support/search-queue.ts';
import { createSupportStore } from '../support/store.ts';
import { createSupport } from '../support/support.ts';
import { createUpkeep } from '../support/upkeep.ts';
import { openAgents } from './agents.ts';
import { openMailAddresses } from './mail.ts';
import type { Shared } from './shared.ts';

/** Opens what agents do with conversations besides replying, imports, their preferences and the report. */
export function openSupport(shared: Shared): void {
  const { app, config, db, directory, limits, run } = shared;
  const store = createSupportStore(db);
  const searchConfigurationOf = createSearchConfigurationOf(directory);
  const support = createSupport({
    ...shared,
    store,
    searches: createSearchQueue({ ...SEARCH_LIMITS, perSecond: limits.searchSecondsPerProjectPerSecond }),
    mailAddresses: openMailAddresses(shared),
    conversations: createListStore(db),
    searchConfigurationOf,
    limits: {
      searches: limits.perMinute('searches', limits.searchesPerMember),
      presence: limits.perMinute('presence', limits.presencePerMember),
    },
  });
  supportRoutes(app, { ...shared, support });
  const imports = createImports({
    ...shared,
    store: createImportsStore(),
    searchConfigurationOf,
    conversationDays: config.CONVERSATIONS_RETENTION_DAYS,
  });
  importsRoutes(app, { ...shared, imports });
  run(createUpkeep({ ...shared, store }));
  openAgents(shared);
}
