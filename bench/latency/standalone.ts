import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, spawnProgram } from '@switchboard/testkit';

/** The data that standalone writes about its demo. */
export interface Demo {
  base_url: string;
  eu_api_url: string;
  project_id: string;
  project_key: string;
  tokens: { teammate: string };
}

/** Starts standalone as a process, with its demo. */
export async function startStandalone(): Promise<{ demo: Demo; stop(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'bench-standalone-'));
  const standalone = await spawnProgram({
    command: ['node', join(import.meta.dirname, '../../deploy/standalone/src/main.ts')],
    env: { NODE_ENV: 'production', SWITCHBOARD_HOME: home },
    ready: '/health/ready',
    output: 'inherit',
  });
  // The demo file is written last, a moment after the services are ready.
  const demo = await eventually(() => readFile(join(home, 'demo.json'), 'utf8'), { withinMs: 30_000 });
  return {
    demo: JSON.parse(demo),
    async stop() {
      await standalone.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
