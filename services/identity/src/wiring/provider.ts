import type { Db, Tx } from '@switchboard/database';
import { poll } from '@switchboard/resilience';
import { createEncryption } from '@switchboard/runtime';
import type { Accounts } from '../accounts/accounts.ts';
import { sessionCookieIn } from '../browser/browser.ts';
import type { Identity } from '../config.ts';
import { createAdapter } from '../oidc-records/adapter.ts';
import { createOidcRecordsStore } from '../oidc-records/store.ts';
import { createProviders, type Providers } from '../provider/providers.ts';
import { createSessions, type Sessions } from '../sessions/sessions.ts';
import { createSessionsStore } from '../sessions/store.ts';
import { missingProvider, type RequiredProvider } from '../sign-in/required-provider.ts';
import { createSigningKeys, type SigningKeys } from '../signing-keys/signing-keys.ts';
import { createSigningKeysStore } from '../signing-keys/store.ts';

const REFRESH_MS = 30_000;

/** Opens the OpenID provider and the sessions of browsers that it asks for. */
export function openProvider(
  service: Identity,
  issuer: string,
  accounts: Accounts,
  required: RequiredProvider,
): { providers: Providers; sessions: Sessions; keysIn(db: Db | Tx): SigningKeys } {
  const { add, clock, config, db, logger, metrics, run } = service;
  const secrets = config.ACCOUNT_SECRET;
  const records = createOidcRecordsStore(db);
  const encryption = createEncryption({ secrets, purpose: 'signing keys' });
  const keysIn = (connection: Db | Tx) =>
    createSigningKeys({ store: createSigningKeysStore(connection), encryption, clock });
  const opened = async (accountId: string, methods: readonly string[] | undefined) => {
    const account = await accounts.find(accountId);
    if (account === undefined || methods === undefined) return account;
    return (await missingProvider(required, account, methods)) === undefined ? account : undefined;
  };
  const sessions = createSessions({
    store: createSessionsStore(db),
    isAllowed: async ({ accountId, methods }) => (await opened(accountId, methods)) !== undefined,
    revoke: (accountId) => records.removeAccount(accountId),
    clock,
  });
  const providers = createProviders({
    issuer,
    tokenIssuer: config.AUTH_ISSUER,
    audience: config.AUTH_AUDIENCE,
    consoleUrl: config.CONSOLE_URL,
    clients: config.OIDC_CLIENTS,
    secrets,
    adapter: createAdapter({
      store: records,
      encryption: createEncryption({ secrets, purpose: 'OpenID state' }),
      clock,
    }),
    logger,
    claimsOf: opened,
    signedIn: async (cookies) => (await sessions.find(sessionCookieIn(cookies)))?.accountId,
    signOut: (cookies) => sessions.end(sessionCookieIn(cookies)),
    keys: keysIn(db),
  });
  let readAt = clock.now();
  metrics.gauge(
    'switchboard_signing_keys_read_timestamp_seconds',
    'When the signing keys were last rotated, if due, and read.',
    () => readAt.getTime() / 1_000,
  );
  const refresh = async () => {
    await providers.refresh();
    readAt = clock.now();
  };
  add(providers, { start: refresh });
  const stopping = new AbortController();
  let refreshing: Promise<void> | undefined;
  run({
    start() {
      refreshing ??= poll(refresh, {
        everyMs: REFRESH_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('refresh signing keys', error),
      });
    },
    async stop() {
      stopping.abort();
      await refreshing;
    },
  });
  return { providers, sessions, keysIn };
}
