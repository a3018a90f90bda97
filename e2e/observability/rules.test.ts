import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { prometheusFolder, readAlerts, readAlertTests, readDocs, readExpressions } from './files.ts';
import { metricsOf } from './promql.ts';

const run = promisify(execFile);

/** Rejects with promtool's output if it finds a problem. */
const promtool = (...args: string[]) => run('promtool', args, { cwd: prometheusFolder });

const isInstalled = await promtool('--version').then(
  () => true,
  () => false,
);
if (!isInstalled && process.env['REQUIRE_BACKINGS'] === '1') {
  throw new Error('promtool is missing: deploy/backings/install.sh promtool');
}

describe.skipIf(!isInstalled)('according to promtool', () => {
  it('the Prometheus configuration and rules are valid', async () => {
    await promtool('check', 'config', 'prometheus.yml');
  });

  it('alerts pass their rule tests', async () => {
    await promtool('test', 'rules', 'alerts.test.yml');
  });

  it('every dashboard expression is valid PromQL', async () => {
    const rules = (await readExpressions()).map(({ expr }, index) => ({ record: `panel:${index}`, expr }));
    const scratch = await mkdtemp(join(tmpdir(), 'promql-'));
    const path = join(scratch, 'panels.yml');
    await writeFile(path, stringify({ groups: [{ name: 'panels', rules }] }));
    await promtool('check', 'rules', path).finally(() => rm(scratch, { recursive: true }));
  });
});

it('every alert has a test in which it fires and one in which it does not', async () => {
  const { firing, silent } = await readAlertTests();
  const names = (await readAlerts()).map(({ alert }) => alert).toSorted();
  expect([...firing].toSorted()).toEqual(names);
  expect([...silent].toSorted()).toEqual(names);
});

it('every alert has a runbook, and every runbook an alert', async () => {
  const docs = await readDocs();
  const [, runbooks = ''] = docs.split('\n## Alerts and what to do\n');
  const headings = [...runbooks.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
  const alerts = await readAlerts();
  expect(headings.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook).toBe(`docs/observability.md#${alert.toLowerCase()}`);
  }
});

it('metricsOf returns the metrics of an expression', () => {
  const expr =
    'sum by (service, le) (rate(a_total{status=~"5..", x="up"}[5m] offset 1h)) / on (b) c:d > 1e6 and max(e) or vector(0)';
  expect(metricsOf(expr)).toEqual(['a_total', 'c:d', 'e']);
});
