import { once } from 'node:events';
import { createServer, serveStdio, toolsOf } from '@switchboard/mcp';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

export const mcp: Command = {
  summary: 'serve a deployment to a model by the Model Context Protocol',
  help: `switchboard mcp [options]

Serves the Model Context Protocol on standard input and output, for programs with a model. Its tools query events, people,
flags and conversations with the permissions of your token, and change nothing unless you give --write. Needs the token
of a member of the company, and SWITCHBOARD_URL, the address of the API.

  --write          also serve tools that annotate, comment, add notes, save reports and cohorts, and change flags
  --url <address>  address of the API (default: SWITCHBOARD_URL)
  --wait <s>       seconds to retry while a service is unavailable (default: 15)
  --json           print the names and schemas of the tools as JSON, and end
  -h, --help       print this help
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { write: { type: 'boolean' } });
    if (positionals.length > 0) throw new UsageError('give options only');
    const tools = toolsOf({ isWriting: values.write === true });
    if (values.json) {
      const shown = tools.map(({ name, title, isReadOnly, inputSchema }) => ({
        name,
        title,
        isReadOnly,
        inputSchema,
      }));
      terminal.out(`${JSON.stringify(shown, null, 2)}\n`);
      return EXIT_CODES.done;
    }
    const client = openClient(values, terminal, { isConsole: true });
    const handle = serveStdio(() => createServer(tools, client.untyped.call), {
      onerror: ({ message }) => terminal.err(`switchboard: ${message}\n`),
    });
    await once(process.stdin, 'close');
    await handle.close();
    return EXIT_CODES.done;
  },
};
