import { ListenError } from '@switchboard/http';
import { ConfigError } from '@switchboard/runtime';
import { serveConsole } from './commands/console.ts';
import { seed } from './commands/seed.ts';
import { serve } from './commands/serve.ts';
import { DemoError } from './demo.ts';

/**
 * Commands for development with every service in its own process. `main.ts serve` runs the issuer, `main.ts console`
 * runs the console of a deployment, and `main.ts seed` seeds the demo and exits.
 */
const COMMANDS: Record<string, (env: NodeJS.ProcessEnv) => Promise<void>> = {
  console: serveConsole,
  serve,
  seed,
};
const command = COMMANDS[process.argv[2] ?? ''];

try {
  if (command === undefined) throw new DemoError('Give a command: serve, console or seed.');
  await command(process.env);
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof ListenError || error instanceof DemoError))
    throw error;
  process.stderr.write(`demo: ${error.message}\n`);
  process.exitCode = 1;
}
