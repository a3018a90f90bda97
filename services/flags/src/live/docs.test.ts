import { readFile } from 'node:fs/promises';
import * as engine from '@switchboard/flag-engine';
import { documented, eventually } from '@switchboard/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startHarness } from '../testing/harness.ts';

const EXAMPLE = new URL('../../../../docs/examples/live-flags.js', import.meta.url);

const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor;

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
  const code = await readFile(EXAMPLE, 'utf8');
  const run = AsyncFunction('baseUrl', 'projectKey', 'evaluate', 'WebSocket', code);
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

test('the code of the README of @switchboard/flag-engine evaluates the snapshot of a project', async () => {
  const harness = await startHarness();
  onTestFinished(harness.stop);
  const project = await harness.createProject();
  await harness.putFlag(project, {
    key: 'new-checkout',
    enabled: true,
    rolloutPercentage: 100,
    targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
  });
  const read = async (path: string) => {
    const headers = { Authorization: `Bearer ${project.key}` };
    return Object(await (await fetch(`${harness.url}${path}`, { headers })).json());
  };
  const snapshot = await eventually(async () => {
    const { flags } = await read('/v1/flags/snapshot');
    expect(flags).toHaveLength(1);
    return { flags };
  });
  const { cohorts } = await read('/v1/flags/memberships?distinct_id=anna');
  // A function has its imports as parameters.
  const code = documented('packages/domain/flag-engine/README.md#use', 'js').replace(
    /^import (.+) from .+$/m,
    'const $1 = engine;',
  );
  const run = AsyncFunction('engine', 'snapshot', 'cohorts', `${code}\nreturn { flags, reasons };`);
  expect(await run(engine, snapshot, cohorts)).toEqual({
    flags: { 'new-checkout': true },
    reasons: { 'new-checkout': 'MATCH' },
  });
});
