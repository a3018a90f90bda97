import { join } from 'node:path';
import { eventually, freePort } from '@switchboard/testkit';
import type { Backings } from './backings.ts';
import { run } from './process.ts';
import { REPOSITORY } from './repository.ts';

const MAIN = join(REPOSITORY, 'deploy/directory-link/src/main.ts');

export interface RunningLink {
  /** How many records of home the region lacks, by its metrics. */
  behind(): Promise<number>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
}

/** The link that brings home's directory to a region; it is ready when the region has all of it. */
export async function startLink(
  home: Pick<Backings, 'kafka'>,
  region: { name: string; backings: Pick<Backings, 'kafka'> },
): Promise<RunningLink> {
  const port = await freePort();
  const running = run({
    command: process.execPath,
    args: [MAIN],
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      REGION: region.name,
      KAFKA_BROKERS: region.backings.kafka.brokers.join(','),
      HOME_KAFKA_BROKERS: home.kafka.brokers.join(','),
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    async () => {
      const { status } = await fetch(`${url}/health/ready`);
      if (status !== 200) throw new Error(`the link is not ready: ${running.output().slice(-2000)}`);
    },
    { withinMs: 120_000 },
  );
  return {
    async behind() {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/^switchboard_directory_link_behind\{.*\} (\d+)/m.exec(metrics)?.[1]);
    },
    async stop() {
      running.signal('SIGTERM');
      return running.ended;
    },
  };
}
