import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import {
  isInstalled,
  prometheusFolder,
  RULE_TESTS,
  readAlertmanager,
  readAlerts,
  readAlertTests,
  readExpressions,
  readRunbooks,
} from './files.ts';
import { metricsOf } from './promql.ts';

const run = promisify(execFile);

/** Runs promtool. Rejects with its output if it finds a problem. */
const promtool = (...args: string[]) => run('promtool', args, { cwd: prometheusFolder });

describe.skipIf(!(await isInstalled('promtool')))('the checks of promtool', () => {
  it('the Prometheus configuration and rules are valid', async () => {
    await promtool('check', 'config', 'prometheus.yml');
  });

  it('the alerts pass their rule tests', async () => {
    await promtool('test', 'rules', ...RULE_TESTS);
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
  const names = [...new Set((await readAlerts()).map(({ alert }) => alert))].toSorted();
  expect([...firing].toSorted()).toEqual(names);
  expect([...silent].toSorted()).toEqual(names);
});

it('every alert has a runbook, and every runbook an alert', async () => {
  const sections = (await readRunbooks()).split(/^## /m);
  const headingsOf = (title: string) => {
    const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
    return [...section.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name).toSorted();
  };
  const alerts = await readAlerts();
  const named = (severity: string) => {
    const found = alerts.filter(({ labels }) => labels.severity === severity);
    return [...new Set(found.map(({ alert }) => alert))].toSorted();
  };
  expect(headingsOf('Pages')).toEqual(named('page'));
  expect(headingsOf('Tickets')).toEqual(named('ticket'));
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook_url).toBe(`docs/observe.md#${alert.toLowerCase()}`);
  }
});

it('Alertmanager sends pages and tickets to receivers, and groups and inhibits by labels and alerts that exist', async () => {
  const { route, receivers, inhibit_rules } = await readAlertmanager();
  expect(route.routes.map(({ matchers }) => matchers)).toEqual([['severity = "page"']]);
  const names = receivers.map(({ name }) => name);
  expect(new Set([route.receiver, ...route.routes.map(({ receiver }) => receiver)])).toEqual(new Set(names));
  const alerts = new Set((await readAlerts()).map(({ alert }) => `alertname = "${alert}"`));
  for (const { source_matchers } of inhibit_rules)
    for (const matcher of source_matchers) expect(alerts).toContain(matcher);
});

it('metricsOf returns the metrics of an expression', () => {
  const expr =
    'sum by (service, le) (rate(a_total{status=~"5..", x="up"}[5m] offset 1h)) / on (b) c:d > 1e6 and max(e) or vector(0)';
  expect(metricsOf(expr)).toEqual(['a_total', 'c:d', 'e']);
});
