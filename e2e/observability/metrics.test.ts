import type { Harness } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAlerts, readDocs, readExpressions } from './files.ts';
import { type Exposed, exposedBy, metricsOf } from './promql.ts';
import { READY_WITHIN_MS, SERVICES, startRig } from './rig.ts';

/** What Prometheus makes itself. */
const OWN = 'up';

let rig: Harness;
let exposed: Exposed;
beforeAll(async () => {
  rig = await startRig();
  const options = { readyWithinMs: READY_WITHIN_MS };
  const services = await Promise.all(SERVICES.map((name) => rig.spawn(name, options)));
  const answers = services.map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
  exposed = exposedBy(await Promise.all(answers));
}, 180_000);
afterAll(async () => {
  await rig?.stop();
});

it('docs list every metric that a service exposes, with its type, and no other', async () => {
  const rows = (await readDocs()).matchAll(/^\| `(switchboard_\w+)` \| (counter|gauge|histogram) \|/gm);
  const documented = Object.fromEntries([...rows].map(([, name, type]) => [name, type]));
  const ours = [...exposed.types].filter(([name]) => name.startsWith('switchboard_'));
  expect(documented).toEqual(Object.fromEntries(ours));
});

it('no panel of the dashboard reads a metric that nobody exposes', async () => {
  const expressions = await readExpressions();
  expect(expressions.length).toBeGreaterThan(30);
  for (const { panel, expr } of expressions) {
    const names = metricsOf(expr).filter((name) => name !== OWN);
    if (!/\bup\b/.test(expr)) expect(names, `${panel}: ${expr}`).not.toEqual([]);
    expect(
      names.filter((name) => !exposed.series.has(name)),
      panel,
    ).toEqual([]);
  }
});

it('no alert reads a metric that nobody exposes', async () => {
  for (const { alert, expr } of await readAlerts()) {
    const names = metricsOf(expr).filter((name) => name !== OWN);
    expect(
      names.filter((name) => !exposed.series.has(name)),
      alert,
    ).toEqual([]);
  }
});

it('every metric of ours is on the dashboard', async () => {
  const expressions = await readExpressions();
  const read = new Set(expressions.flatMap(({ expr }) => metricsOf(expr)));
  const shown = (name: string) => [name, `${name}_bucket`].some((one) => read.has(one));
  const ours = [...exposed.types.keys()].filter((name) => name.startsWith('switchboard_'));
  // The bytes of the replay archive matter for its costs, not for its health.
  expect(ours.filter((name) => !shown(name))).toEqual(['switchboard_replay_bytes_archived_total']);
});
