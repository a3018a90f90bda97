import { SERVICE_NAMES } from '@switchboard/contracts';
import type { Harness } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAlerts, readDocs, readExpressions } from './files.ts';
import { type Exposed, exposedBy, metricsOf } from './promql.ts';
import { READY_WITHIN_MS, startRig } from './rig.ts';

/** A metric that Prometheus itself adds. */
const BUILT_IN = 'up';

let rig: Harness;
let exposed: Exposed;
beforeAll(async () => {
  rig = await startRig();
  const options = { readyWithinMs: READY_WITHIN_MS };
  const services = await Promise.all(SERVICE_NAMES.map((name) => rig.spawn(name, options)));
  const answers = services.map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
  exposed = exposedBy(await Promise.all(answers));
}, 180_000);
afterAll(async () => {
  await rig?.stop();
});

it('docs list exactly the metrics that services expose, with their types', async () => {
  const rows = (await readDocs()).matchAll(/^\| `(switchboard_\w+)` \| (counter|gauge|histogram) \|/gm);
  const documented = Object.fromEntries([...rows].map(([, name, type]) => [name, type]));
  const ours = [...exposed.types].filter(([name]) => name.startsWith('switchboard_'));
  expect(documented).toEqual(Object.fromEntries(ours));
});

it('every metric that the dashboard reads is exposed', async () => {
  const expressions = await readExpressions();
  expect(expressions.length).toBeGreaterThan(30);
  for (const { panel, expr } of expressions) {
    const names = metricsOf(expr).filter((name) => name !== BUILT_IN);
    if (!/\bup\b/.test(expr)) expect(names, `${panel}: ${expr}`).not.toEqual([]);
    expect(
      names.filter((name) => !exposed.series.has(name)),
      panel,
    ).toEqual([]);
  }
});

it('every metric that an alert reads is exposed', async () => {
  for (const { alert, expr } of await readAlerts()) {
    const names = metricsOf(expr).filter((name) => name !== BUILT_IN);
    expect(
      names.filter((name) => !exposed.series.has(name)),
      alert,
    ).toEqual([]);
  }
});

it('every Switchboard metric is on the dashboard', async () => {
  const expressions = await readExpressions();
  const read = new Set(expressions.flatMap(({ expr }) => metricsOf(expr)));
  const shown = (name: string) => [name, `${name}_bucket`].some((one) => read.has(one));
  const ours = [...exposed.types.keys()].filter((name) => name.startsWith('switchboard_'));
  // Archived bytes are about cost, not health.
  expect(ours.filter((name) => !shown(name))).toEqual(['switchboard_replay_bytes_archived_total']);
});
