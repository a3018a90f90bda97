import { shutDownInOrder } from '@switchboard/runtime';
import { banner } from './banner.ts';
import { explain, UsageError } from './errors.ts';
import { HELP } from './help.ts';
import { homeFolder } from './home.ts';
import { startStandalone } from './standalone.ts';

/** Milliseconds to finish requests in flight, then stop services, then PostgreSQL. */
const STOP_WITHIN_MS = 30_000;

const home = homeFolder(process.env);
const [argument] = process.argv.slice(2);

if (argument === '--help' || argument === '-h') {
  process.stdout.write(HELP);
} else {
  try {
    if (argument !== undefined) throw new UsageError(`unknown argument ${argument}; see --help`);
    const { stop, ...started } = await startStandalone({ env: process.env, home });
    process.stdout.write(banner(started, home, performance.now() / 1000));
    shutDownInOrder({
      close: stop,
      withinMs: STOP_WITHIN_MS,
      log: {
        info: (_, message) => void (message === 'shutting down' && process.stdout.write('\nStopping ...\n')),
        fatal: (fields, message) => console.error(`switchboard: ${message}`, fields),
      },
    });
  } catch (error) {
    const message = await explain(error, home);
    if (message === undefined) throw error;
    process.stderr.write(`switchboard: ${message}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}
