import { PriceListError } from '../litellm/price-list.ts';
import { ManagementError } from '../management-client.ts';
import { ManifestError } from '../manifest/manifest.ts';
import { apply, diff } from './apply.ts';
import { type Command, exitCodes } from './command.ts';
import { imports } from './import.ts';
import { keys } from './keys.ts';
import { type Terminal, UsageError } from './terminal.ts';
import { get, remove } from './things.ts';

const commands: Record<string, Command> = { apply, diff, get, delete: remove, keys, import: imports };

const help = `switchboard: manage a Switchboard deployment

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

switchboard <command> --help says more of each.

The access token, with the permission service.manage, is read from SWITCHBOARD_TOKEN, and the address of the
management API from SWITCHBOARD_URL or --url. Where each service has its own address: SWITCHBOARD_CATALOGUE_URL,
SWITCHBOARD_COLLABORATION_URL, SWITCHBOARD_FLAGS_URL, SWITCHBOARD_MESSENGER_URL, SWITCHBOARD_INGESTION_URL.

Exit codes: 0 done; 1 refused, or a service is not reached; 2 the command, its environment or its file is wrong;
3 diff found a difference.
`;

/** Runs the command that the arguments name; answers its exit code. */
export async function runSwitchboard(args: string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name.startsWith('-')) {
    const isAsked = name === undefined || ['help', '-h', '--help'].includes(name);
    terminal[isAsked ? 'out' : 'err'](isAsked ? help : `switchboard: name a command before ${name}\n`);
    return isAsked ? exitCodes.done : exitCodes.usage;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    terminal.err(`switchboard: there is no command ${name}; see switchboard --help\n`);
    return exitCodes.usage;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(command.help);
    return exitCodes.done;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    const isUsage =
      error instanceof UsageError || error instanceof ManifestError || error instanceof PriceListError;
    if (!isUsage && !(error instanceof ManagementError)) throw error;
    terminal.err(`switchboard: ${error.message}\n`);
    if (error instanceof UsageError) terminal.err(`See switchboard ${name} --help.\n`);
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}
