import { programFile, spawnProgram } from '@switchboard/testkit';
import type { Backings } from './backings.ts';

export interface RunningLink {
  /** Returns the number of home records that the region does not have yet, from the link's metrics. */
  behind(): Promise<number>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the link that copies the home directory to a region, and resolves when the copy is complete. */
export async function startLink(
  home: Pick<Backings, 'kafka'>,
  region: { name: string; backings: Pick<Backings, 'kafka'> },
): Promise<RunningLink> {
  const program = await spawnProgram({
    command: ['node', await programFile('deploy/directory-link/src/main.ts')],
    env: {
      HOST: '127.0.0.1',
      REGION: region.name,
      KAFKA_BROKERS: region.backings.kafka.brokers.join(','),
      HOME_KAFKA_BROKERS: home.kafka.brokers.join(','),
    },
    // The chart's probe requests this path. It responds with 200 once the copy is complete.
    ready: '/health/serving',
    readyWithinMs: 120_000,
  });
  return {
    async behind() {
      const metrics = await (await fetch(`${program.url}/metrics`)).text();
      return Number(/^switchboard_directory_link_behind\{.*\} (\d+)/m.exec(metrics)?.[1]);
    },
    stop: () => program.stop(),
  };
}
