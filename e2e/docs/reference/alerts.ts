import { readAlerts } from '../../observability/files.ts';

/** Returns the text of docs/reference/alerts.md. */
export async function alertsPage(): Promise<string> {
  const alerts = new Map((await readAlerts()).map((alert) => [alert.alert, alert]));
  return `${[
    '# Alerts',
    '<!-- Generated from the rules by `pnpm run docs`; a test fails when it is stale. -->',
    'Every alert of [deploy/observability](../../deploy/observability/prometheus/alerts.yml). The condition must hold for the given time. [What to do](../observe.md#pages). `ProcessMissing` has one rule for each process.',
    [
      '| alert | severity | for | summary | condition |',
      '|---|---|---|---|---|',
      ...[...alerts.values()].map(({ alert, labels, for: time = '0m', annotations, expr }) => {
        const link = `[${alert}](../observe.md#${alert.toLowerCase()})`;
        return `| ${[link, labels.severity, time, summaryOf(annotations.summary), conditionOf(expr)].join(' | ')} |`;
      }),
    ].join('\n'),
  ].join('\n\n')}\n`;
}

/** Replaces the variables of a template with their names in italics. */
const summaryOf = (template: string) =>
  template.replaceAll(/\{\{ \$(?:labels\.)?(\w+).*?\}\}/g, (_, name: string) => `*${name}*`);

const conditionOf = (expr: string) => `\`${expr.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}\``;
