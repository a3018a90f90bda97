import { SERVICE_NAMES } from '@switchboard/contracts';
import { vapidSettings } from '@switchboard/push/testing';
import type { Harness } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readExpressions, readMetricsPage, readRules } from './files.ts';
import { openProcessHarness, READY_WITHIN_MS } from './harness.ts';
import { type Exposed, exposedBy, metricsOf } from './promql.ts';

/** Metrics of Prometheus itself, the directory link (e2e/regions), the gateway (e2e/gateway), and rules. */
const OF_OTHERS = /^up$|^switchboard_directory_link_behind$|^caddy_|:/;

let harness: Harness;
let exposed: Exposed;
beforeAll(async () => {
  harness = await openProcessHarness();
  const options = { readyWithinMs: READY_WITHIN_MS };
  const ofIdentity = {
    AUTH_ISSUER: 'http://127.0.0.1:1/identity',
    ACCOUNT_SECRET: 'the account secret of a test with 32 or more characters',
  };
  const ofMessenger = {
    SUPPORT_MAIL_DOMAIN: 'support.example',
    SUPPORT_MAIL_PORT: '0',
    ...vapidSettings(),
  };
  const services = await Promise.all([
    ...SERVICE_NAMES.map((name) =>
      harness.spawn(name, name === 'messenger' ? { ...options, env: ofMessenger } : options),
    ),
    harness.spawn('identity', { ...options, env: ofIdentity }),
    harness.spawn('delivery', options),
  ]);
  const answers = services.map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
  exposed = exposedBy(await Promise.all(answers));
});
afterAll(async () => {
  await harness?.stop();
});

it('docs/reference/metrics.md lists exactly the metrics that services expose, with their types', async () => {
  const rows = (await readMetricsPage()).matchAll(
    /^\| `(switchboard_\w+)` \| (counter|gauge|histogram) \|/gm,
  );
  const listed = [...rows].map(([, name = '', type = '']) => [name, type] as const);
  const documented = Object.fromEntries(listed.filter(([name]) => !OF_OTHERS.test(name)));
  const ours = [...exposed.types].filter(([name]) => name.startsWith('switchboard_'));
  expect(documented).toEqual(Object.fromEntries(ours));
});

it('every metric that the dashboard reads is exposed', async () => {
  const expressions = await readExpressions();
  expect(expressions.length).toBeGreaterThan(30);
  for (const { panel, expr } of expressions) {
    const names = metricsOf(expr).filter((name) => !OF_OTHERS.test(name));
    if (!/\bup\b/.test(expr)) expect(names, `${panel}: ${expr}`).not.toEqual([]);
    expect(
      names.filter((name) => !exposed.series.has(name)),
      panel,
    ).toEqual([]);
  }
});

it('every metric that an alert reads is exposed', async () => {
  const rules = await readRules();
  const recorded = new Set(rules.flatMap((rule) => ('record' in rule ? [rule.record] : [])));
  const known = (name: string) =>
    name.includes(':') ? recorded.has(name) : OF_OTHERS.test(name) || exposed.series.has(name);
  for (const { expr } of rules)
    expect(
      metricsOf(expr).filter((name) => !known(name)),
      expr,
    ).toEqual([]);
});

it('every Switchboard metric is on the dashboard', async () => {
  const expressions = await readExpressions();
  const read = new Set(expressions.flatMap(({ expr }) => metricsOf(expr)));
  const shown = (name: string) => [name, `${name}_bucket`].some((one) => read.has(one));
  const ours = [...exposed.types.keys()].filter((name) => name.startsWith('switchboard_'));
  // Archived bytes concern cost, not health.
  expect(ours.filter((name) => !shown(name))).toEqual(['switchboard_replay_bytes_archived_total']);
});
