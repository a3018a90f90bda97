import { ConfigError, ListenError } from '@switchboard/service-kit';
import { DemoError } from './demo.ts';
import { seed } from './seed.ts';
import { serve } from './serve.ts';

/**
 * For development with every service in a process of its own: `main.ts serve` stands in for what a deployment has
 * around Switchboard, `main.ts seed` makes the demo's data and ends.
 */
const commands: Record<string, (env: NodeJS.ProcessEnv) => Promise<void>> = { serve, seed };
const command = commands[process.argv[2] ?? ''];

try {
  if (command === undefined) throw new DemoError('Say serve or seed.');
  await command(process.env);
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof ListenError || error instanceof DemoError))
    throw error;
  process.stderr.write(`demo: ${error.message}\n`);
  process.exitCode = 1;
}
