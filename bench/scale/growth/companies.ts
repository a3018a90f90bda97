import { call } from '@switchboard/testkit';
import { HEAP_FLAGS, openBenchHarness } from '../../lib/harness.ts';
import { type Dimension, sizesFrom } from './path.ts';
import { openForFilling } from './site.ts';

const SAMPLE_MS = 5;
const PLAN = { trialDays: 14, priced: true, entitlements: {} };
const COMPANY = { name: 'Company', plan: { tier: 'pro', cycle: 'monthly' } };

/** Varies the projects (with one key each) and the members of a company that is deleted. */
export async function companies(): Promise<Dimension> {
  const { harness, stop } = await openBenchHarness({ durable: true, env: { TOPIC_PARTITIONS: '16' } });
  const service = await harness.spawn('catalogue', { flags: HEAP_FLAGS, output: 'inherit' });
  const database = await openForFilling(await harness.databaseUrl('catalogue'));
  harness.defer(() => database.close());
  const { sql } = database;
  const token = await harness.mint({ sub: 'operator', permissions: ['service.manage'] });
  let longestMs = 0;
  /** The number of projects of earlier companies. Ids of deleted companies and projects cannot be used again. */
  let made = 0;
  let company = '';

  async function ask(method: string, path: string, body?: object): Promise<void> {
    const { status } = await call(method, `${service.url}/management/v1${path}`, { token, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
  }

  /** Returns the duration of the service's longest open transaction until the signal aborts. */
  async function watch(signal: AbortSignal): Promise<number> {
    let longest = 0;
    while (!signal.aborted) {
      const [row] = await sql`
        select max(extract(epoch from clock_timestamp() - xact_start)) * 1000 as ms from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
      longest = Math.max(longest, Number(row?.['ms'] ?? 0));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
    return longest;
  }

  await ask('PUT', '/plans/pro/monthly', PLAN);
  return {
    of: 'projects and members of a company',
    sizes: sizesFrom(10),
    async fill(size) {
      company = `company-${size}`;
      const numbers = sql`generate_series(${made + 1}::int, ${made + size}::int) as n`;
      made += size;
      await ask('PUT', `/companies/${company}`, COMPANY);
      await sql`
        insert into projects (id, company_id, name, region, default_language)
        select 'project-' || n, ${company}, 'Project', 'eu', 'en' from ${numbers}`;
      await sql`
        insert into project_keys (key, project_id)
        select 'pk_eu_' || lpad(n::text, 32, '0'), 'project-' || n from ${numbers}`;
      await sql`
        insert into members (company_id, sub, name, email, push_subscriptions)
        select ${company}, 'person-' || n, 'Ada', 'ada@example.com', '[]' from ${numbers}`;
      await sql`vacuum analyze`;
    },
    paths: [
      {
        name: 'deleting a company',
        bound: 'linear',
        unit: 'ms',
        async measure() {
          const ended = new AbortController();
          const watching = watch(ended.signal);
          const beganAt = performance.now();
          await ask('DELETE', `/companies/${company}`);
          const ms = performance.now() - beganAt;
          ended.abort();
          longestMs = await watching;
          return ms;
        },
      },
      {
        name: 'longest transaction of a deletion',
        bound: 'constant',
        unit: 'ms',
        measure: async () => longestMs,
      },
    ],
    stop,
  };
}
