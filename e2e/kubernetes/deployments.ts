import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { NAMESPACE } from './server.ts';

interface Availability {
  /** Resolves with the minimum number of available pods of each Deployment in the namespace. */
  stop(): Promise<Record<string, number>>;
}

/** Starts to watch the Deployments. */
export async function watchAvailability(): Promise<Availability> {
  const columns = 'jsonpath={.metadata.name} {.status.availableReplicas}{"\\n"}';
  const args = ['--namespace', NAMESPACE, 'get', 'deployments', '--watch', '--output', columns];
  const watching = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(watching.stdout);
  const fewest: Record<string, number> = {};
  lines.on('line', (line) => {
    // The number is absent for a Deployment without available pods.
    const [name = '', available] = line.split(' ');
    fewest[name] = Math.min(fewest[name] ?? Infinity, Number(available));
  });
  const ended = once(lines, 'close');
  await once(lines, 'line');
  return {
    async stop() {
      if (watching.exitCode !== null) throw new Error('kubectl stopped watching');
      watching.kill();
      await ended;
      return fewest;
    },
  };
}
