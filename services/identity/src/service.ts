import { auditMigrations } from '@switchboard/audit';
import { directoryMigrations, openErasures } from '@switchboard/directory';
import { defineService, openAuditTrail, openReplica } from '@switchboard/http';
import { createEncryption } from '@switchboard/runtime';
import { createAccounts } from './accounts/accounts.ts';
import { createAccountsStore } from './accounts/store.ts';
import { assetsRoutes } from './assets/routes.ts';
import { createBrowser } from './browser/browser.ts';
import { identitySettings } from './config.ts';
import { createErasure } from './erasure/erasure.ts';
import { createErasureStore } from './erasure/store.ts';
import { createTotp } from './factors/totp.ts';
import { createMembershipsPublisher } from './memberships/memberships.ts';
import { pageHeaders } from './pages/document.ts';
import { applicationOrigins } from './provider/provider.ts';
import { providerRoutes } from './provider/routes.ts';
import { identityMigrations } from './schema/migrations.ts';
import { setUpRoutes } from './set-up/routes.ts';
import { createSetUp } from './set-up/set-up.ts';
import { createComplete } from './sign-in/complete.ts';
import { createInteractions } from './sign-in/interactions.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createTicketsStore } from './tickets/store.ts';
import { createTickets } from './tickets/tickets.ts';
import { createTrail } from './trail/trail.ts';
import { openLimits } from './wiring/limits.ts';
import { openProvider } from './wiring/provider.ts';
import { openSweep } from './wiring/sweep.ts';

/** Signs people in: an OpenID provider, and the pages of accounts. Optional: any other provider does too. */
export const identityService = defineService({
  name: 'identity',
  settings: identitySettings,
  migrations: [directoryMigrations, auditMigrations, identityMigrations],
  directory: openReplica(),
  audit: openAuditTrail,
  create(service) {
    const { add, app, clock, config, db, logger, region, run } = service;
    const store = createAccountsStore(db);
    const accounts = createAccounts({ store });
    const { providers, sessions } = openProvider(service, accounts);
    const limits = openLimits(service);
    const trail = createTrail({ db, clock, region });
    const tickets = createTickets({ store: createTicketsStore(db), clock });
    const encryption = createEncryption({ secrets: config.ACCOUNT_SECRET, purpose: 'factors' });
    const totp = createTotp({ store, encryption, clock });
    const { AUTH_ISSUER: issuer } = config;
    const headers = pageHeaders(applicationOrigins(config.OIDC_CLIENTS, config.CONSOLE_URL));
    const browser = createBrowser({ issuer, headers });
    const interactions = createInteractions(providers);
    const complete = createComplete({ browser, sessions, interactions, trail });

    assetsRoutes(app, browser);
    const signIn = createSignIn({ accounts, totp, limits, tickets, trail });
    signInRoutes(app, { browser, signIn, sessions, interactions, complete });
    const setUp = createSetUp({ accounts, tickets, issuer, logger });
    setUpRoutes(app, { browser, setUp, limits, complete, trail });
    add(setUp, { start: setUp.printLink });
    providerRoutes(app, { providers, issuer });

    run(openErasures({ ...service, eraser: (own) => createErasure(createErasureStore(own)) }));
    run(createMembershipsPublisher(service));
    openSweep(service);
  },
});
