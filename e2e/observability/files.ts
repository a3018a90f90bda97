import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';

const folder = join(REPOSITORY, 'deploy/observability');
export const prometheusFolder = join(folder, 'prometheus');

const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

const rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.object({ summary: z.string(), runbook: z.string() }),
        }),
      ),
    }),
  ),
});

export async function readAlerts() {
  const { groups } = rules.parse(parse(await read('prometheus/alerts.yml')));
  return groups.flatMap((group) => group.rules);
}

const ruleTests = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })),
    }),
  ),
});

/** The alerts that promtool tests expect to fire, and those they expect not to. */
export async function readAlertTests(): Promise<{ firing: Set<string>; silent: Set<string> }> {
  const { tests } = ruleTests.parse(parse(await read('prometheus/alerts.test.yml')));
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

/** Every expression of the dashboard with its panel; variables are replaced by values. */
export async function readExpressions(): Promise<{ panel: string; expr: string }[]> {
  const { panels } = dashboard.parse(JSON.parse(await read('grafana/dashboards/switchboard.json')));
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({
      panel: title,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$service', '.*'),
    })),
  );
}

export const readDocs = (): Promise<string> => readFile(join(REPOSITORY, 'docs/observability.md'), 'utf8');
