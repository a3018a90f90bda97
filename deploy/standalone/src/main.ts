import { banner } from './banner.ts';
import { explain } from './errors.ts';
import { homeFolder } from './home.ts';
import { startStandalone } from './standalone.ts';

const home = homeFolder(process.env);

try {
  const { stop, ...started } = await startStandalone({ env: process.env, home });
  process.stdout.write(banner(started, home, performance.now() / 1000));
  let leaving = false;
  const leave = async () => {
    if (leaving) return;
    leaving = true;
    process.stdout.write('\nStopping ...\n');
    await stop();
    process.exit(0);
  };
  process.on('SIGINT', () => void leave());
  process.on('SIGTERM', () => void leave());
} catch (error) {
  const line = explain(error);
  if (line === undefined) throw error;
  process.stderr.write(`switchboard: ${line}\n`);
  process.exit(1);
}
