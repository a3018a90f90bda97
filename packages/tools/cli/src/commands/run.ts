import { managementOperations } from '@switchboard/contracts';
import { ManagementError } from '@switchboard/management';
import packageFile from '../../package.json' with { type: 'json' };
import { acls } from '../acls/acls.ts';
import { alerts } from '../alerts/alerts.ts';
import { audit } from '../audit/audit.ts';
import { flags } from '../flags/flags.ts';
import { PriceListError } from '../litellm/price-list.ts';
import { login, logout, whoami } from '../login/commands.ts';
import { ManifestError } from '../manifest/yaml.ts';
import { mcp } from '../mcp/mcp.ts';
import { messages } from '../messages/messages.ts';
import { promote } from '../promote/promote.ts';
import { requests } from '../requests/requests.ts';
import { schedule } from '../schedule/schedule.ts';
import { sql } from '../sql/sql.ts';
import { subscriptions } from '../subscriptions/subscriptions.ts';
import { type Command, EXIT_CODES } from '../terminal/command.ts';
import { type Terminal, UsageError } from '../terminal/terminal.ts';
import { projects } from '../throttle/projects.ts';
import { topics } from '../topics/topics.ts';
import { webhooks } from '../webhooks/webhooks.ts';
import { wires } from '../wires/wires.ts';
import { apply, diff } from './apply.ts';
import { deadLetters } from './dead-letters.ts';
import { erase } from './erase.ts';
import { generate } from './generate.ts';
import { groups } from './groups.ts';
import { ids } from './ids.ts';
import { imports } from './import.ts';
import { keys } from './keys.ts';
import { people } from './people.ts';
import { query } from './query.ts';
import { get, remove } from './resources.ts';
import { signingKeys } from './signing-keys.ts';
import { tokens } from './tokens.ts';

const commands: Record<string, Command> = {
  login,
  logout,
  whoami,
  apply,
  diff,
  get,
  delete: remove,
  erase,
  audit,
  keys,
  ids,
  projects,
  tokens,
  schedule,
  messages,
  promote,
  requests,
  flags,
  query,
  sql,
  people,
  groups,
  alerts,
  subscriptions,
  webhooks,
  wires,
  import: imports,
  'dead-letters': deadLetters,
  'signing-keys': signingKeys,
  acls,
  topics,
  generate,
  mcp,
};

const services = [...new Set(managementOperations.map(({ service }) => service))].sort();

const help = `switchboard <command> [options]: manage a Switchboard deployment

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
  .join('\n')}

switchboard <command> --help describes a command; switchboard --version prints the version.

Log in with switchboard login, or set SWITCHBOARD_TOKEN to a token with the permissions for what you do,
and SWITCHBOARD_URL (or --url) to the address of the management API. Where each service has an address of its own, set SWITCHBOARD_<SERVICE>_URL for
${services.slice(0, -1).join(', ')} and ${services.at(-1)}, in capitals.

Exit codes: 0 done; 1 refused, or a service cannot be reached; 2 invalid command, environment or file;
3 diff found a difference.
`;

/** Advice for errors that come without any in their message, by status. */
const ADVICE: Record<number, string> = {
  401: 'the access token is missing, invalid or expired; set SWITCHBOARD_TOKEN to a new one',
  403: 'the access token needs service.manage, or its person needs a role in the company',
};

/** Runs the command that the arguments name. Returns the exit code. */
export async function runSwitchboard(args: string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version' || name === '-V' || name === 'version') {
    terminal.out(`switchboard ${packageFile.version}\n`);
    return EXIT_CODES.done;
  }
  if (name === undefined || name === 'help' || name.startsWith('-')) {
    const isAsked = name === undefined || ['help', '-h', '--help'].includes(name);
    terminal[isAsked ? 'out' : 'err'](
      isAsked ? help : `switchboard: name a command before ${name}; see switchboard --help\n`,
    );
    return isAsked ? EXIT_CODES.done : EXIT_CODES.usage;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    terminal.err(`switchboard: unknown command ${name}; see switchboard --help\n`);
    return EXIT_CODES.usage;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(command.help);
    return EXIT_CODES.done;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    const isUsage =
      error instanceof UsageError || error instanceof ManifestError || error instanceof PriceListError;
    if (!isUsage && !(error instanceof ManagementError)) throw error;
    const advice = error instanceof ManagementError ? ADVICE[error.status ?? 0] : undefined;
    terminal.err(`switchboard: ${error.message}${advice === undefined ? '' : ` (${advice})`}\n`);
    if (error instanceof UsageError) terminal.err(`See switchboard ${name} --help.\n`);
    return isUsage ? EXIT_CODES.usage : EXIT_CODES.failed;
  }
}
