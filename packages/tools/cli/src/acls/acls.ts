import { type BrokerAcl, brokerAcls, brokerUsers } from '@switchboard/contracts';
import { readArguments } from '../terminal/arguments.ts';
import { type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

const NAME = /^[A-Za-z0-9._-]{0,100}$/;

export const acls: Command = {
  summary: 'list or apply the ACLs of the broker users',
  help: `switchboard acls list
switchboard acls apply

Each service has a Kafka user with its name, which may use the topics and consumer groups of the service and nothing
else. list prints the ACLs, one per line. apply adds missing ACLs to these users and removes all others from them. It
leaves other users alone, and creates none. It connects with the KAFKA_ settings of the environment; their user must be
allowed to alter the cluster.

  --prefix <text>  before the name of every user, such as switchboard-
  --json           print JSON
  -h, --help       print this help
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { prefix: { type: 'string' } });
    const [verb, ...rest] = positionals;
    if ((verb !== 'list' && verb !== 'apply') || rest.length > 0) {
      throw new UsageError('usage: switchboard acls list, or switchboard acls apply');
    }
    const prefix = values.prefix ?? '';
    if (!NAME.test(prefix)) throw new UsageError('--prefix: letters, digits, ., _ and - only');
    const wanted = brokerAcls(prefix);
    if (verb === 'list') {
      terminal.out(values.json ? `${JSON.stringify(wanted)}\n` : wanted.map(lineOf).join(''));
      return EXIT_CODES.done;
    }
    // Loaded on first use: loading the event log and the service kit would double the start time of every command.
    const { applyAcls } = await import('./apply.ts');
    const users = brokerUsers(prefix).map(([user]) => user);
    const { added, removed } = await applyAcls(terminal, users, wanted);
    terminal.out(
      values.json ? `${JSON.stringify({ added, removed })}\n` : `${added} added, ${removed} removed\n`,
    );
    return EXIT_CODES.done;
  },
};

function lineOf({ user, resource, name, pattern, operation }: BrokerAcl): string {
  return `${user} ${operation} ${resource} ${name}${pattern === 'prefixed' ? '*' : ''}\n`;
}
