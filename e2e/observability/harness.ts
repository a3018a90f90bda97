import { type Harness, openHarness } from '@switchboard/testkit';

/** Generous, because other tests may share the machine. */
export const READY_WITHIN_MS = 120_000;

/** Starts the backings that services need to run as processes. Without brokers, the event log is on PostgreSQL. */
export function openProcessHarness(brokers?: readonly string[]): Promise<Harness> {
  return openHarness({
    log: brokers && { kafka: brokers },
    env: {
      LOG_LEVEL: 'debug',
    },
  });
}

/** Creates the project `p1` in a running catalogue, and returns its key. */
export async function createProject(harness: Harness): Promise<string> {
  const manage = async (method: string, path: string, body: unknown) => {
    const result = await harness.manage('catalogue', method, path, body);
    if (result.status >= 300) throw new Error(`${method} ${path}: ${result.status}`);
    return result;
  };
  const company = { name: 'One', plan: { tier: 'pro', cycle: 'monthly' } };
  const project = { companyId: 'c1', name: 'One', region: 'eu', defaultLanguage: 'en' };
  await manage('PUT', '/plans/pro/monthly', { trialDays: 0, priced: true, entitlements: {} });
  await manage('PUT', '/companies/c1', company);
  await manage('PUT', '/projects/p1', project);
  return (await manage('POST', '/projects/p1/keys', {})).body.key;
}
