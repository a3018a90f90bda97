import { readFile } from 'node:fs/promises';
import { eventually } from '@switchboard/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startWorld } from '../testing/world.ts';

const page = new URL('../../../../docs/flags.md', import.meta.url);

/** The program under a heading of docs/flags.md, as a function of what it is given. */
async function program(heading: string, ...given: string[]) {
  const section = (await readFile(page, 'utf8')).split(`## ${heading}\n`)[1];
  const code = /```js\n(.+?)```/s.exec(section ?? '')?.[1] ?? '';
  const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor;
  return AsyncFunction(...given, code);
}

test('the client of docs/flags.md follows changes, also when its instance leaves', async () => {
  const world = await startWorld();
  onTestFinished(world.stop);
  const first = await world.startInstance();
  let url = first.url;
  const project = await world.createProject();
  const snapshots: { flags: { enabled: boolean }[] }[] = [];
  const sockets: WebSocket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.onclose = null;
      socket.close();
    }
  });
  /** What stands for the public address here. */
  class Here extends WebSocket {
    constructor(address: string) {
      super(address.replace('wss://api.test/base', url.replace('http', 'ws')));
      sockets.push(this);
    }
  }
  const run = await program('Live changes', 'baseUrl', 'projectKey', 'evaluate', 'WebSocket');
  await run(world.url, project.key, (snapshot: (typeof snapshots)[number]) => snapshots.push(snapshot), Here);
  await eventually(() => expect(snapshots).toHaveLength(1));

  const put = (enabled: boolean) => world.putFlag(project, { key: 'a', enabled, rolloutPercentage: 100 });
  await put(true);
  await eventually(() => expect(snapshots.at(-1)?.flags).toMatchObject([{ enabled: true }]));
  url = world.url;
  await first.stop();
  await put(false);
  await eventually(() => expect(snapshots.at(-1)?.flags).toMatchObject([{ enabled: false }]));
  expect(sockets.length).toBeGreaterThan(1);
});
