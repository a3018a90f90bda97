import { createEncryption } from '@switchboard/runtime';
import { createAccounts } from '../accounts/accounts.ts';
import { createAccountsStore } from '../accounts/store.ts';
import { createBrowser } from '../browser/browser.ts';
import type { Identity } from '../config.ts';
import { createTotp } from '../factors/totp.ts';
import { createDevices } from '../limits/devices.ts';
import { createMemberships } from '../memberships/memberships.ts';
import { pageHeaders } from '../pages/document.ts';
import { createPasskeys } from '../passkeys/passkeys.ts';
import { createPasskeysStore } from '../passkeys/store.ts';
import { applicationOrigins } from '../provider/provider.ts';
import { createComplete } from '../sign-in/complete.ts';
import { createInteractions } from '../sign-in/interactions.ts';
import { createTicketsStore } from '../tickets/store.ts';
import { createTickets } from '../tickets/tickets.ts';
import { createTrail } from '../trail/trail.ts';
import { ofDeployment } from '../upstream/providers.ts';
import { openCompanyProviders } from './company-sign-in.ts';
import { openLimits } from './limits.ts';
import { openMails } from './mails.ts';
import { openProvider } from './provider.ts';

/** Opens the parts that several features of the service use. */
export function openParts(service: Identity, issuer: string) {
  const { clock, config, db, region } = service;
  const store = createAccountsStore(db);
  const accounts = createAccounts({ store, clock });
  const companies = openCompanyProviders(service);
  const { providers, sessions, keysIn } = openProvider(service, issuer, accounts, companies.required);
  const tickets = createTickets({ store: createTicketsStore(db), clock });
  const trail = createTrail({ db, clock, region });
  const encryption = createEncryption({ secrets: config.ACCOUNT_SECRET, purpose: 'factors' });
  const headers = pageHeaders(applicationOrigins(config.OIDC_CLIENTS, config.CONSOLE_URL));
  const browser = createBrowser({ issuer, headers });
  const interactions = createInteractions(providers);
  const devices = createDevices(
    createEncryption({ secrets: config.ACCOUNT_SECRET, purpose: 'known devices' }),
  );
  return {
    issuer,
    companies,
    upstreams: config.SIGN_IN_PROVIDERS.map(ofDeployment),
    accounts,
    providers,
    sessions,
    keysIn,
    tickets,
    trail,
    browser,
    interactions,
    devices,
    limits: openLimits(service),
    mails: openMails(service),
    memberships: createMemberships(),
    passkeys: createPasskeys({ store: createPasskeysStore(db), tickets, clock, issuer }),
    totp: createTotp({ store, encryption, clock }),
    complete: createComplete({ accounts, ...companies, browser, sessions, interactions, trail, devices }),
  };
}
