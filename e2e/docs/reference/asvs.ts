/** The requirements that are met, each with the tests that verify it. */
export const MET: readonly (readonly [requirement: string, tests: readonly string[]])[] = [
  ['1.1.1 decoding once', ['services/ingestion/src/hostile-bodies.test.ts']],
  [
    '1.2.1, 1.2.3 output encoding',
    ['services/collaboration/src/page/page.test.ts', 'services/collaboration/src/shares/messages.test.ts'],
  ],
  ['1.2.4 injection into queries: values are bound', ['e2e/structure/structure.test.ts']],
  ['1.3.1 HTML is sanitised by a library', ['services/messenger/src/configuration/sanitise.test.ts']],
  [
    '1.3.6 requests forged through the server',
    ['packages/kit/runtime/src/outgoing/sender.test.ts', 'packages/kit/runtime/src/outgoing/names.test.ts'],
  ],
  ['1.5.2, 15.3.5 types of untrusted data', ['packages/contracts/src/fields/fields.test.ts']],
  ['2.2.1, 2.2.2, 2.2.3 validation at the service', ['e2e/product/operations.test.ts']],
  [
    '2.3.2, 2.4.1 limits',
    ['packages/kit/http/src/overload/rate-limits.test.ts', 'services/ingestion/src/quota.test.ts'],
  ],
  ['2.3.3 whole or not at all', ['services/catalogue/src/outbox/outbox.test.ts']],
  ['3.4.4 nosniff, 14.3.2 no-store', ['e2e/product/tenants.test.ts']],
  ['3.4.2 CORS', ['packages/kit/http/src/service/app.test.ts']],
  ['3.5.1, 3.5.2 cross-site requests: no cookies', ['packages/kit/http/src/service/app.test.ts']],
  ['4.1.1 content types', ['e2e/product/operations.test.ts']],
  ['4.1.3, 15.3.4 forged `X-Forwarded-For`', ['e2e/gateway/gateway.test.ts']],
  ['4.4.3 tokens of sockets', ['services/messenger/src/live/live.test.ts']],
  [
    '5.2.1, 5.2.3 size of files, compressed too',
    [
      'services/messenger/src/attachments/attachments.test.ts',
      'services/ingestion/src/hostile-bodies.test.ts',
    ],
  ],
  ['5.2.2 content of files', ['services/messenger/src/uploads/format.test.ts']],
  [
    '5.3.1, 5.3.2, 5.4.1, 5.4.2, 3.2.1 storage, names and download',
    ['services/messenger/src/attachments/attachments.test.ts'],
  ],
  ['6.2.1, 6.2.4, 6.2.5, 6.2.9 passwords', ['services/identity/src/accounts/password.test.ts']],
  ['6.3.1 guessing', ['services/identity/src/limits/limits.test.ts']],
  [
    '6.3.2 no default accounts, 6.3.8 no enumeration',
    ['services/identity/src/provider/provider.test.ts', 'services/identity/src/account/account.test.ts'],
  ],
  ['6.3.3, 6.5.1 second factors, used once', ['services/identity/src/account/account.test.ts']],
  ['6.8.1 identities of several providers', ['services/identity/src/upstream/upstream.test.ts']],
  [
    '7.2.4, 7.4.1 a new session for each sign-in, ended by sign-out',
    ['services/identity/src/provider/provider.test.ts'],
  ],
  ['7.4.3, 7.5.2 ending other sessions', ['services/identity/src/account/account.test.ts']],
  ['10.2.1 forged answers of providers', ['services/identity/src/upstream/upstream.test.ts']],
  [
    '10.4.1, 10.4.2, 10.4.5, 10.4.6 redirect addresses, codes, refresh tokens, PKCE',
    ['services/identity/src/provider/provider.test.ts'],
  ],
  ['10.7.1 consent', ['services/identity/src/pages/pages.test.ts']],
  [
    '8.2.1, 8.2.3, 8.3.1 functions by permission',
    ['e2e/product/tenants.test.ts', 'services/catalogue/src/members/roles.test.ts'],
  ],
  ['8.2.2, 8.4.1 data by project and company', ['e2e/product/tenants.test.ts']],
  [
    '9.1.1, 9.1.2, 9.1.3, 9.2.1, 9.2.2 (with `AUTH_TOKEN_TYP`), 9.2.3 access tokens',
    ['packages/kit/http/src/access/access-tokens.test.ts'],
  ],
  ['12.1.1, 12.1.3 TLS of services', ['e2e/least-privilege/mutual-tls.test.ts']],
  [
    '12.3.2 certificates are checked',
    ['packages/platform/database/src/tls.test.ts', 'packages/platform/event-log/src/kafka/secured.test.ts'],
  ],
  [
    '13.2.2 least privilege of accounts',
    [
      'e2e/least-privilege/broker.test.ts',
      'packages/platform/database/src/migrate.test.ts',
      'e2e/compose/compose.test.ts',
    ],
  ],
  ['13.2.3 no default credentials', ['packages/kit/runtime/src/process/development-secrets.test.ts']],
  ['13.2.4, 13.2.5 where requests may go', ['packages/kit/runtime/src/outgoing/addresses.test.ts']],
  ['13.4.1, 13.4.5, 15.2.3 minimal contents', ['e2e/compose/images.test.ts', 'e2e/gateway/gateway.test.ts']],
  ['14.2.2 caches', ['packages/kit/http/src/service/app.test.ts']],
  ['15.1.2 bill of materials', ['e2e/supply-chain/supply-chain.test.ts']],
  [
    '15.2.2 expensive work',
    ['services/ingestion/src/hostile-bodies.test.ts', 'packages/platform/fairness/src/permits.test.ts'],
  ],
  ['15.3.1 fields of answers', ['e2e/product/operations.test.ts']],
  ['15.3.2 redirects are not followed', ['packages/kit/runtime/src/outgoing/sender.test.ts']],
  ['15.3.6 prototype pollution', ['packages/domain/flag-engine/src/evaluate.test.ts']],
  ['16.2.1, 16.3.4 log entries', ['packages/kit/http/src/pipeline/request-ids.test.ts']],
  ['16.2.5 no secrets in logs', ['e2e/gateway/gateway.test.ts']],
  ['16.5.1 errors say nothing internal', ['packages/kit/http/src/service/app.test.ts']],
  [
    '16.5.2, 16.5.3 failing dependencies',
    ['services/messenger/src/faults.test.ts', 'services/ingestion/src/faults.test.ts'],
  ],
];

/** The requirements that are not met, or that the operator meets. */
const OPEN = `| requirement | state |
|---|---|
| 3.4.1 HSTS, 4.4.1 WSS, 12.2.1, 12.2.2 public TLS | yours, in the [gateway](../deploy.md#gateway) or in front of it; \`HSTS_SECONDS\` turns HSTS on |
| 3.4.3, 3.4.6 CSP on every response | on pages and downloads; not on JSON |
| 4.4.2 \`Origin\` of sockets | not required of visitors' sockets: a messenger may be on any page |
| 5.4.3 antivirus | not met; only pictures and PDFs are accepted, and PDFs are downloads |
| 12.3.1, 12.3.3, 12.3.4 TLS inside the network | available, off by default: [mutual TLS](../security.md#mutual-tls) |
| 13.2.1 short-lived credentials of services | passwords, rotated [by hand](../operate.md#changing-secrets) |
| 13.3.1 vault | environment variables; Kubernetes Secrets or files that your platform fills |
| 14.2.1 no secrets in addresses | public report links carry their token in the path; they are answered with \`no-referrer\` |
| 15.1.1, 15.2.1 time to fix dependencies | not promised; \`npx pnpm@12 audit\` |
| 16.3.1 log-ins are logged | log-ins of the identity service are in the [audit trail](../manage.md#audit-trail); of other tokens, rejected ones, by status and request id |
| 16.4.2, 16.4.3 protected logs | standard output; your log collector protects them |`;

/** Returns the text of docs/reference/asvs.md. */
export function asvsPage(): string {
  return `${[
    '# OWASP ASVS 5.0, levels 1 and 2',
    '<!-- Generated from e2e/docs/reference/asvs.ts by `pnpm run docs`; a test fails when it is stale. -->',
    'A self-assessment. No third party has verified it. Chapters 6, 7 and 10 (log-in, sessions, OAuth) concern the identity service; if you run another provider, ask there. Chapter 17 (WebRTC) does not apply. The documentation meets requirements that ask for documentation alone.',
    '## Met',
    [
      '| requirement | verified by |',
      '|---|---|',
      ...MET.map(
        ([requirement, tests]) => `| ${requirement} | ${tests.map((path) => `\`${path}\``).join(', ')} |`,
      ),
    ].join('\n'),
    '## Not met, or yours',
    OPEN,
  ].join('\n\n')}\n`;
}
