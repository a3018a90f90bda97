import { banner } from './banner.ts';
import { explain, UsageError } from './errors.ts';
import { HELP } from './help.ts';
import { homeFolder } from './home.ts';
import { startStandalone } from './standalone.ts';

const home = homeFolder(process.env);
const [argument] = process.argv.slice(2);

if (argument === '--help' || argument === '-h') {
  process.stdout.write(HELP);
} else {
  try {
    if (argument !== undefined) throw new UsageError(`unknown argument ${argument}; see --help`);
    const { stop, ...started } = await startStandalone({ env: process.env, home });
    process.stdout.write(banner(started, home, performance.now() / 1000));
    let isStopping = false;
    const shutDown = async () => {
      if (isStopping) return;
      isStopping = true;
      process.stdout.write('\nStopping ...\n');
      await stop();
      process.exit(0);
    };
    process.on('SIGINT', () => void shutDown());
    process.on('SIGTERM', () => void shutDown());
  } catch (error) {
    const message = await explain(error, home);
    if (message === undefined) throw error;
    process.stderr.write(`switchboard: ${message}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}
