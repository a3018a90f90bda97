import { readFile } from 'node:fs/promises';
import { eventually } from '@switchboard/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startHarness } from '../testing/harness.ts';

const EXAMPLE = new URL('../../../../docs/examples/live-flags.js', import.meta.url);

/** Returns the example as a function of the values that the surrounding page provides. */
async function program(...given: string[]) {
  const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor;
  return AsyncFunction(...given, await readFile(EXAMPLE, 'utf8'));
}

test('follows changes in docs/examples/live-flags.js, also when its instance stops', async () => {
  const harness = await startHarness();
  onTestFinished(harness.stop);
  const first = await harness.startInstance();
  let url = first.url;
  const project = await harness.createProject();
  const snapshots: { flags: { enabled: boolean }[] }[] = [];
  const sockets: WebSocket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.onclose = null;
      socket.close();
    }
  });
  /** A WebSocket that connects to the instance instead of the public address. */
  class Here extends WebSocket {
    constructor(address: string) {
      super(address.replace('wss://api.test/base', url.replace('http', 'ws')));
      sockets.push(this);
    }
  }
  const run = await program('baseUrl', 'projectKey', 'evaluate', 'WebSocket');
  await run(
    harness.url,
    project.key,
    (snapshot: (typeof snapshots)[number]) => snapshots.push(snapshot),
    Here,
  );
  await eventually(() => expect(snapshots).toHaveLength(1));

  const put = (enabled: boolean) => harness.putFlag(project, { key: 'a', enabled, rolloutPercentage: 100 });
  await put(true);
  await eventually(() => expect(snapshots.at(-1)?.flags).toMatchObject([{ enabled: true }]));
  url = harness.url;
  await first.stop();
  await put(false);
  await eventually(() => expect(snapshots.at(-1)?.flags).toMatchObject([{ enabled: false }]));
  expect(sockets.length).toBeGreaterThan(1);
});
