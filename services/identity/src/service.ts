import { auditMigrations } from '@switchboard/audit';
import { directoryMigrations, openErasures } from '@switchboard/directory';
import { defineService, openAuditTrail, openReplica } from '@switchboard/http';
import { accountRoutes } from './account/routes.ts';
import type { DemoPerson } from './accounts/accounts.ts';
import { assetsRoutes } from './assets/routes.ts';
import { identitySettings } from './config.ts';
import { createEmailChange } from './email-change/email-change.ts';
import { createErasure } from './erasure/erasure.ts';
import { createErasureStore } from './erasure/store.ts';
import { createInvitations } from './invitations/invitations.ts';
import { invitationOperations } from './invitations/operations.ts';
import { invitationsRoutes } from './invitations/routes.ts';
import { createMembershipsPublisher } from './memberships/memberships.ts';
import { providerRoutes } from './provider/routes.ts';
import { createReset } from './reset/reset.ts';
import { resetRoutes } from './reset/routes.ts';
import { identityMigrations } from './schema/migrations.ts';
import { setUpRoutes } from './set-up/routes.ts';
import { createSetUp } from './set-up/set-up.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { signingKeysRoutes } from './signing-keys/routes.ts';
import { serveCompanySignIn } from './wiring/company-sign-in.ts';
import { openParts } from './wiring/parts.ts';
import { openReencryption } from './wiring/re-encryption.ts';
import { openSweep } from './wiring/sweep.ts';

export interface IdentityConstants {
  /** The address of the provider, where AUTH_ISSUER is the issuer of another token service as well. */
  issuer?: string;
  /** People who exist from the start and sign in with one click. Only standalone passes them: no setting can. */
  people?: readonly DemoPerson[];
}

/** Signs people in: an OpenID provider, and the pages of accounts. Optional: any other provider does too. */
export const identityService = defineService({
  name: 'identity',
  settings: identitySettings,
  migrations: [directoryMigrations, auditMigrations, identityMigrations],
  directory: openReplica(),
  audit: openAuditTrail,
  create(service, { issuer = service.config.AUTH_ISSUER, people = [] }: IdentityConstants = {}) {
    const { add, app, run } = service;
    const parts = { ...service, people, ...openParts(service, issuer) };

    add(people, { start: () => parts.accounts.add(people) });
    assetsRoutes(app, parts.browser);
    signInRoutes(app, { ...parts, signIn: createSignIn(parts) });
    serveCompanySignIn(service, parts);
    const setUp = createSetUp(parts);
    setUpRoutes(app, { ...parts, setUp });
    add(setUp, { start: setUp.printLink });
    accountRoutes(app, {
      ...parts,
      emailChange: createEmailChange({ ...parts, required: parts.companies.required }),
    });
    resetRoutes(app, { ...parts, reset: createReset(parts) });
    signingKeysRoutes(app, { ...parts, refresh: parts.providers.refresh });
    const invitations = createInvitations(parts);
    invitationsRoutes(app, { ...parts, invitations });
    invitationOperations(app, { ...parts, invitations });
    providerRoutes(app, parts);

    run(openErasures({ ...service, eraser: (db) => createErasure(createErasureStore(db)) }));
    run(createMembershipsPublisher(service));
    openReencryption(service);
    openSweep(service);
  },
});
