import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';

const folder = join(REPOSITORY, 'deploy/observability');
export const prometheusFolder = join(folder, 'prometheus');

/** Returns whether a Prometheus program is installed. With REQUIRE_BACKINGS=1, its absence is an error. */
export async function isInstalled(program: 'prometheus' | 'promtool'): Promise<boolean> {
  const found = await promisify(execFile)(program, ['--version']).then(
    () => true,
    () => false,
  );
  if (!found && process.env['REQUIRE_BACKINGS'] === '1') {
    throw new Error(`${program} is missing: deploy/backings/install.sh promtool`);
  }
  return found;
}

const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

export const RULE_FILES = ['alerts.yml', 'processes.yml'];

const alert = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.looseObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.object({ summary: z.string(), runbook_url: z.string() }),
});

const rules = z.object({
  groups: z.array(
    z.object({ rules: z.array(z.union([alert, z.object({ record: z.string(), expr: z.string() })])) }),
  ),
});

/** Returns every rule: alerts, and the series that they read. */
export async function readRules() {
  const files = await Promise.all(RULE_FILES.map((file) => read(`prometheus/${file}`)));
  return files.flatMap((text) => rules.parse(parse(text)).groups.flatMap((group) => group.rules));
}

/** Returns every alert. The alert for processes occurs once per process. */
export async function readAlerts() {
  return (await readRules()).flatMap((rule) => ('alert' in rule ? [rule] : []));
}

/** The files of promtool tests. */
export const RULE_TESTS = ['alerts.test.yml', 'budgets.test.yml'];

const ruleTests = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })),
    }),
  ),
});

/** Returns the alerts that promtool tests expect to fire, and those that they expect not to fire. */
export async function readAlertTests(): Promise<{ firing: Set<string>; silent: Set<string> }> {
  const files = await Promise.all(RULE_TESTS.map((file) => read(`prometheus/${file}`)));
  const tests = files.flatMap((text) => ruleTests.parse(parse(text)).tests);
  const all = tests.flatMap((test) => test.alert_rule_test);
  const named = (firing: boolean) =>
    new Set(all.filter((one) => one.exp_alerts.length > 0 === firing).map((one) => one.alertname));
  return { firing: named(true), silent: named(false) };
}

const dashboard = z.object({
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) }),
  ),
});

/** Returns every expression of the dashboard with its panel. Replaces variables with values. */
export async function readExpressions(): Promise<{ panel: string; expr: string }[]> {
  const { panels } = dashboard.parse(JSON.parse(await read('grafana/dashboards/switchboard.json')));
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({
      panel: title,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', '.*'),
    })),
  );
}

const alertmanager = z.looseObject({
  route: z.object({
    receiver: z.string(),
    routes: z.array(z.looseObject({ matchers: z.array(z.string()), receiver: z.string() })),
    group_by: z.array(z.string()),
    repeat_interval: z.string(),
  }),
  receivers: z.array(z.looseObject({ name: z.string() })),
  inhibit_rules: z.array(z.looseObject({ source_matchers: z.array(z.string()) })),
});

export async function readAlertmanager() {
  return alertmanager.parse(parse(await read('alertmanager.yml')));
}

const readPage = (path: string): Promise<string> => readFile(join(REPOSITORY, 'docs', path), 'utf8');

export const readRunbooks = (): Promise<string> => readPage('observe.md');

export const readMetricsPage = (): Promise<string> => readPage('reference/metrics.md');
