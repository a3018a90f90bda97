import { type AuditEntry, auditEntry, auditOutcome } from '@switchboard/contracts';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { textColumns } from '../terminal/text-table.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000_000;
const PRINTED_AT_ONCE = 500;

const FILTERS = ['actor', 'action', 'object', 'outcome', 'from', 'to'] as const;

export const audit: Command = {
  summary: 'show who did what, and who read which conversation',
  help: `switchboard audit [--company <id> | --project <id>] [filters]

Prints the audit trail, newest first: of a company, of a project, or of the whole deployment. Needs audit.read, which
admins of the company have, or service.read in the access token.

  switchboard audit --project acme-shop --object conversation:cnv_018f...   who read or answered this conversation
  switchboard audit --company acme --outcome refused                        refused attempts

  --company <id>   of a company and its projects
  --project <id>   of a project
  --object <o>     what it was done to, as kind:id: conversation, recording, flag, member, project, ...
  --actor <id>     the sub of a person, or the id of a token
  --action <name>  the operation, such as readConversation or putFlag
  --outcome <o>    allowed or refused
  --from <time>    the earliest time, such as 2026-03-01T00:00:00Z
  --to <time>      the time before which
  --limit <n>      most entries to print (default: ${DEFAULT_LIMIT})
${COMMON_HELP.replace('print JSON', 'print every property, one entry per line')}
`,
  async run(args, terminal) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(args, {
      company: text,
      project: text,
      limit: text,
      ...{ actor: text, action: text, object: text, outcome: text, from: text, to: text },
    });
    if (positionals.length > 0) throw new UsageError(`${positionals[0]}: give options only`);
    if (values.company !== undefined && values.project !== undefined)
      throw new UsageError('give --company or --project, not both');
    if (values.outcome !== undefined && !auditOutcome.safeParse(values.outcome).success)
      throw new UsageError(`--outcome: give ${auditOutcome.options.join(' or ')}`);
    const limit = Number(values.limit ?? DEFAULT_LIMIT);
    if (!(Number.isInteger(limit) && limit > 0 && limit <= MAX_LIMIT))
      throw new UsageError(`--limit: give a number from 1 to ${MAX_LIMIT}`);
    const filters: Record<string, string> = {};
    for (const name of FILTERS) {
      const value = values[name];
      if (value !== undefined) filters[name] = value;
    }
    const client = openClient(values, terminal);
    const { operation, params } = placeOf(values);
    let entries: AuditEntry[] = [];
    let left = limit;
    let isFirst = true;
    const print = () => {
      const rows = entries.map(cellsOf);
      terminal.out(
        values.json
          ? entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
          : textColumns(isFirst ? [HEADINGS, ...rows] : rows),
      );
      isFirst = false;
      entries = [];
    };
    for await (const entry of client.untyped.list(operation, { params, query: filters })) {
      entries.push(auditEntry.parse(entry));
      left -= 1;
      if (left === 0) break;
      if (entries.length === PRINTED_AT_ONCE) print();
    }
    if (isFirst || entries.length > 0) print();
    return EXIT_CODES.done;
  },
};

function placeOf({ company, project }: { company?: string | undefined; project?: string | undefined }) {
  if (company !== undefined)
    return { operation: 'listCompanyAudit', params: { companyId: company } } as const;
  if (project !== undefined)
    return { operation: 'listProjectAudit', params: { projectId: project } } as const;
  return { operation: 'listAudit', params: {} } as const;
}

const HEADINGS = ['time', 'who', 'did', 'what', 'outcome', 'from', 'request'];

function cellsOf({
  at,
  actor,
  action,
  object,
  outcome,
  status,
  count,
  address,
  requestId,
}: AuditEntry): string[] {
  const who = actor.id ?? 'nobody';
  return [
    at,
    actor.tokenId === null ? who : `${who} (${actor.tokenId})`,
    action,
    object,
    [outcome, status ?? '', count > 1 ? `x${count}` : ''].join(' ').trim(),
    address,
    requestId ?? '-',
  ];
}
