import type { ServiceName } from '@switchboard/contracts';
import { type AccessTokens, eventually, type Harness } from '@switchboard/testkit';
import { z } from 'zod';

/** Services with a management API to call. */
export interface Managed {
  tokens: Pick<AccessTokens, 'mint'>;
  serving(service: ServiceName): { url: string }[];
}

/** A project created through the management API. */
export interface TestProject {
  id: string;
  key: string;
  reportId: string;
  /** A member's access token. */
  member: string;
}

export type Manage = (service: ServiceName, method: string, path: string, body?: unknown) => Promise<unknown>;

/** Calls the management API of a service's first instance, and retries until it succeeds. */
export async function managementClient({ tokens, serving }: Managed): Promise<Manage> {
  const token = await tokens.mint({ sub: 'operator', permissions: ['service.manage'] });
  return (service, method, path, body) =>
    eventually(async () => {
      const url = `${serving(service)[0]?.url}/management/v1${path}`;
      const response = await fetch(url, {
        method,
        ...requestOf(token, body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    });
}

function requestOf(token: string, body: unknown) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body === undefined) return { headers };
  if (Buffer.isBuffer(body)) return { headers, body: new Uint8Array(body) };
  return { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

interface ProjectOptions {
  id: string;
  reportId?: string;
  region: string;
}

/** Creates a company with members, and a project with a report and a key. */
export async function createProject(deployment: Managed, options: ProjectOptions): Promise<TestProject> {
  const created = await defineProject(deployment, options);
  await untilKnown(deployment, created.key);
  return created;
}

/** Creates the same without waiting until services know it. */
export async function defineProject(
  deployment: Managed,
  { id, reportId = 'sign-ups', region }: ProjectOptions,
): Promise<TestProject> {
  const manage = await managementClient(deployment);
  const companyId = `company-of-${id}`;
  await manage('catalogue', 'PUT', '/plans/pro/monthly', {
    trialDays: 14,
    priced: true,
    entitlements: { articleSearch: true, aiTranslations: true, aiTranslationBytesPerMonth: 1_000_000 },
  });
  await manage('catalogue', 'PUT', `/companies/${companyId}`, {
    name: 'Company',
    plan: { tier: 'pro', cycle: 'monthly' },
  });
  for (const sub of ['sub-ada', 'sub-grace'])
    await manage('catalogue', 'PUT', `/companies/${companyId}/members/${sub}`, {
      name: sub,
      email: `${sub}@example.com`,
      role: 'editor',
    });
  const project = { companyId, name: 'Project', region, defaultLanguage: 'en' };
  await manage('catalogue', 'PUT', `/projects/${id}`, project);
  await manage('catalogue', 'PUT', `/projects/${id}/reports/${reportId}`, { name: 'Sign-ups' });
  const created = z
    .object({ key: z.string() })
    .parse(await manage('catalogue', 'POST', `/projects/${id}/keys`));
  const member = await deployment.tokens.mint({ sub: 'sub-ada', name: 'Ada' });
  return { id, key: created.key, reportId, member };
}

/** Waits until the key has reached every instance. */
async function untilKnown({ serving }: Pick<Managed, 'serving'>, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  const probes = [
    ...serving('flags').map(({ url }) => [`${url}/v1/flags?distinct_id=`, { headers }] as const),
    ...serving('messenger').map(({ url }) => [`${url}/v1/messages?distinct_id=a`, { headers }] as const),
    // Responds with 400 once the key is known, and stores nothing.
    ...serving('ingestion').map(
      ({ url }) => [`${url}/v1/identify`, { method: 'POST', headers, body: '{}' }] as const,
    ),
  ];
  for (const [url, init] of probes)
    await eventually(async () => {
      const { status } = await fetch(url, init);
      if (status === 401 || status === 503) throw new Error(`the key is not known at ${url}`);
    });
}

const SHOP_WITHIN = { withinMs: 60_000 };

/** Creates the company `acme` with its project `shop` and a key. `manage` retries until a call succeeds. */
export async function createShop(harness: Harness) {
  const manage = (service: string, method: string, path: string, body?: object) =>
    eventually(async () => {
      const answer = await harness.manage(service, method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    }, SHOP_WITHIN);
  const plan = { tier: 'pro', cycle: 'monthly' };
  await manage('catalogue', 'PUT', '/plans/pro/monthly', { trialDays: 0, priced: true, entitlements: {} });
  await manage('catalogue', 'PUT', '/companies/acme', { name: 'Acme', plan });
  const project = { companyId: 'acme', name: 'Shop', region: 'eu', defaultLanguage: 'en' };
  await manage('catalogue', 'PUT', '/projects/shop', project);
  const { key } = await manage('catalogue', 'POST', '/projects/shop/keys');
  return { manage, key };
}
