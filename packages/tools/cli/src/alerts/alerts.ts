import { alertDefinition } from '@switchboard/contracts';
import type { Client } from '@switchboard/management';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { textColumns } from '../terminal/text-table.ts';

const USAGE =
  'usage: switchboard alerts list <projectId>, or switchboard alerts incidents|preview|snooze <projectId> <alertId>';

export const alerts: Command = {
  summary: 'list alerts and their incidents, preview and snooze them',
  help: `switchboard alerts list <projectId>
switchboard alerts incidents <projectId> <alertId>
switchboard alerts preview <projectId> <alertId>
switchboard alerts snooze <projectId> <alertId> [--until <time>]

A manifest creates and changes alerts. A preview prints when the alert would have fired in the last 90 days; it needs
the token of a member of the company.

  --until <time>   no message before this RFC 3339 time; without it, the snooze ends
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { until: { type: 'string' } });
    const [verb, projectId, alertId, ...rest] = positionals;
    if (projectId === undefined || rest.length > 0) throw new UsageError(USAGE);
    const client = openClient(values, terminal);
    const [answer, rows] = await runVerb(client, { verb, projectId, alertId, until: values.until });
    terminal.out(values.json ? `${JSON.stringify(answer)}\n` : `${textColumns(rows)}\n`);
    return EXIT_CODES.done;
  },
};

interface Asked {
  verb: string | undefined;
  projectId: string;
  alertId: string | undefined;
  until: string | undefined;
}

/** Returns the answer of the API, and its lines. */
async function runVerb(
  client: Client,
  { verb, projectId, alertId, until }: Asked,
): Promise<[answer: object, rows: string[][]]> {
  if (verb === 'list' && alertId === undefined) {
    const answer = await client.call('listAlerts', { params: { projectId } });
    return [answer, answer.alerts.map(rowOf)];
  }
  if (alertId === undefined) throw new UsageError(USAGE);
  const params = { projectId, alertId };
  if (verb === 'snooze') {
    const answer = await client.call('snoozeAlert', { params, body: { until: until ?? null } });
    return [answer, [rowOf(answer)]];
  }
  if (verb === 'incidents') {
    const answer = await client.call('getAlert', { params });
    return [answer, answer.incidents.map((one) => [one.startedAt, one.endedAt ?? '-', one.startedBucket])];
  }
  if (verb !== 'preview') throw new UsageError(USAGE);
  const body = alertDefinition.parse(await client.call('getAlert', { params }));
  const answer = await client.call('previewAlert', { params: { projectId }, body });
  return [answer, answer.incidents.map((one) => [one.startedBucket, one.endedBucket ?? '-'])];
}

interface ListedAlert {
  id: string;
  name: string;
  enabled: boolean;
  state: string;
  value: number | null;
  error: string | null;
}

function rowOf({ id, name, enabled, state, value, error }: ListedAlert): string[] {
  const shown = !enabled ? 'disabled' : error === null ? state : `failed: ${error}`;
  return [id, shown, String(value ?? '-'), name];
}
