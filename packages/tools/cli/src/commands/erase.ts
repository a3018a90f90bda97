import { erasureState } from '@switchboard/contracts';
import type { Client, Erasure, ErasureDetails } from '@switchboard/management';
import { pause } from '@switchboard/resilience';
import { collect } from '../list-all.ts';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { type Terminal, UsageError } from '../terminal/terminal.ts';

const POLL_MS = 1_000;
const DEFAULT_TIMEOUT_SECONDS = 900;
const MAX_TIMEOUT_SECONDS = 86_400;

export const erase: Command = {
  summary: 'erase a person, colleague, project or company from every service',
  help: `switchboard erase person <projectId> <distinctIds...> --yes
switchboard erase colleague <sub> --yes
switchboard erase project <projectId> --yes
switchboard erase company <companyId> --yes
switchboard erase status <erasureId>
switchboard erase list [--company <id>] [--state running|done]

Erases every table, file and recording that holds the person or the colleague, or deletes the project or company and
erases all of it, and prints each service once it is done. A person is erased with all of their distinct ids, which are
printed first. The id of a deleted project or company is never used again.
A company is done when its projects are done; see erase list. Services wait until they have read all records that the
event log held, which takes the archive up to ARCHIVE_FILE_SECONDS. Stop the source of the data first. An erasure
continues if the command is interrupted; follow it with erase status. list shows all erasures, newest first, without
the people they are about; administrators of a company list those of the company.

  --user <id>      person: the user id that your page gave the messenger
  --timeout <s>    seconds to wait until it is done (default: ${DEFAULT_TIMEOUT_SECONDS})
  --company <id>   list: of a company and its projects
  --state <state>  list: only those that are running, or done
  --yes            confirm
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      user: { type: 'string' },
      state: { type: 'string' },
      company: { type: 'string' },
      timeout: { type: 'string' },
      yes: { type: 'boolean' },
    });
    const [what, ...ids] = positionals;
    if (what === 'list' && ids.length === 0) {
      const erasures = await list(openClient(values, terminal), values);
      terminal.out(values.json ? `${JSON.stringify({ erasures })}\n` : describe(erasures));
      return EXIT_CODES.done;
    }
    const { timeout = String(DEFAULT_TIMEOUT_SECONDS) } = values;
    const seconds = Number(timeout);
    if (!(seconds >= 0 && seconds <= MAX_TIMEOUT_SECONDS))
      throw new UsageError(`--timeout: give seconds from 0 to ${MAX_TIMEOUT_SECONDS}`);
    const begin = requestOf(what, ids, values.user);
    if (what !== 'status' && !values.yes)
      throw new UsageError('erased data cannot be restored; confirm with --yes');
    const client = openClient(values, terminal);
    const begun = await begin(client);
    const ended = await follow(client, begun, { seconds, terminal, json: values.json === true });
    if (values.json) terminal.out(`${JSON.stringify(ended)}\n`);
    else if (ended.state === 'done') terminal.out(`${ended.id} done\n`);
    if (ended.state === 'done') return EXIT_CODES.done;
    const open = ended.services.filter(({ doneAt }) => doneAt === null);
    terminal.err(
      `switchboard: ${ended.id} is not done after ${seconds} s: waiting for ${open.map(nameOf).join(', ')}\n`,
    );
    return EXIT_CODES.failed;
  },
};

type Followed = Erasure & { distinctIds?: ErasureDetails['distinctIds'] };

/** Returns the call that starts or reads an erasure. */
function requestOf(
  what: string | undefined,
  ids: readonly string[],
  userId: string | undefined,
): (client: Client) => Promise<Followed> {
  const [first, ...rest] = ids;
  if (what === 'person' && first !== undefined && rest.length > 0) {
    const body = { distinctIds: rest, ...(userId === undefined ? {} : { userId }) };
    return (client) => client.call('erasePerson', { params: { projectId: first }, body });
  }
  if (userId === undefined && first !== undefined && rest.length === 0) {
    if (what === 'colleague') return (client) => client.call('eraseColleague', { body: { sub: first } });
    if (what === 'project') return (client) => deleteProject(client, first);
    if (what === 'company') return (client) => deleteCompany(client, first);
    if (what === 'status') return (client) => client.call('getErasure', { params: { erasureId: first } });
  }
  throw new UsageError(
    'usage: switchboard erase person <projectId> <distinctIds...> [--user <id>], switchboard erase colleague <sub>, switchboard erase project <projectId>, switchboard erase company <companyId>, switchboard erase status <erasureId>, or switchboard erase list',
  );
}

async function deleteProject(client: Client, projectId: string): Promise<Erasure> {
  await client.call('deleteProject', { params: { projectId } });
  const { erasures } = await client.call('listErasures', { query: { kind: 'project', projectId, limit: 1 } });
  return begun(erasures, `project ${projectId}`);
}

async function deleteCompany(client: Client, companyId: string): Promise<Erasure> {
  await client.call('deleteCompany', { params: { companyId } });
  const { erasures } = await client.call('listErasures', { query: { kind: 'company', companyId, limit: 1 } });
  return begun(erasures, `company ${companyId}`);
}

function begun([newest]: readonly Erasure[], what: string): Erasure {
  if (newest === undefined) throw new UsageError(`${what}: not found; it never existed`);
  return newest;
}

async function list(
  client: Client,
  { state: given, company }: { state?: string | undefined; company?: string | undefined },
): Promise<Erasure[]> {
  const state = erasureState.optional().safeParse(given);
  if (!state.success) throw new UsageError(`--state: give ${erasureState.options.join(' or ')}`);
  const query = { state: state.data };
  return collect(
    company === undefined
      ? client.list('listErasures', { query })
      : client.list('listCompanyErasures', { params: { companyId: company }, query }),
  );
}

function describe(erasures: readonly Erasure[]): string {
  const lines = erasures.map(({ id, kind, projectId, companyId, createdAt, services }) => {
    const open = services.filter(({ doneAt }) => doneAt === null);
    const state = open.length === 0 ? 'done' : `waiting for ${open.map(nameOf).join(', ')}`;
    const of = kind === 'person' ? ` of ${projectId}` : ` ${projectId ?? companyId ?? ''}`.trimEnd();
    return `${createdAt} ${id} ${kind}${of}: ${state}\n`;
  });
  return lines.join('');
}

interface FollowOptions {
  seconds: number;
  terminal: Terminal;
  json: boolean;
}

/**
 * Prints the ids that are erased, and each service when it has finished, until all have finished or the time limit is
 * reached. Returns the erasure with all of these ids.
 */
async function follow(
  client: Client,
  begun: Followed,
  { seconds, terminal, json }: FollowOptions,
): Promise<Followed> {
  const deadline = performance.now() + seconds * 1000;
  const printed = new Set<string>();
  const distinctIds = new Set<string>();
  const say = json ? terminal.err : terminal.out;
  for (let current = begun; ; ) {
    const found = (current.distinctIds ?? []).filter((id) => !distinctIds.has(id));
    for (const id of found) distinctIds.add(id);
    if (found.length > 0) say(`erasing ${found.join(', ')}\n`);
    for (const part of current.services) {
      if (part.doneAt === null || printed.has(nameOf(part))) continue;
      printed.add(nameOf(part));
      say(`- ${nameOf(part)} ${part.doneAt}\n`);
    }
    if (current.state === 'done' || performance.now() >= deadline)
      return { ...current, distinctIds: distinctIds.size === 0 ? null : [...distinctIds] };
    await pause(Math.min(POLL_MS, deadline - performance.now()));
    current = await client.call('getErasure', { params: { erasureId: begun.id } });
  }
}

const nameOf = ({ region, service }: { region: string; service: string }) => `${region}/${service}`;
