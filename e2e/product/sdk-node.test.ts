import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenFeature } from '@openfeature/server-sdk';
import { createClient as createManagement } from '@switchboard/management';
import { createClient } from '@switchboard/node';
import { SwitchboardProvider } from '@switchboard/openfeature-server';
import { documented, eventually } from '@switchboard/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { archivedEvents } from './testing/archived.ts';
import { faultyLink } from './testing/faulty-link.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

/** Runs a program that can import the packages of this one. */
function run(source: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stdout.on('data', (bytes) => {
    output += bytes;
  });
  child.stderr.on('data', (bytes) => {
    errors += bytes;
  });
  const exited = once(child, 'exit');
  return { child, exited, lines: () => output.split('\n').slice(0, -1), errors: () => errors };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-node-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('accepted events are archived once when the server is busy, responses are lost, a process is killed or clocks are wrong', async () => {
  const { eu_api_url, project_id, project_key } = running.demo;
  const link = await faultyLink(eu_api_url);
  onTestFinished(link.close);
  const folder = await newFolder();
  const accepted: string[] = [];
  /** Starts a program that tracks events and prints their ids, with a clock that is wrong by `clockOffMs`. */
  const start = (name: string, clockOffMs: number) =>
    run(`
      const Real = Date;
      globalThis.Date = class extends Real {
        constructor(...given) { if (given.length > 0) super(...given); else super(Real.now() + ${clockOffMs}); }
        static now() { return Real.now() + ${clockOffMs}; }
      };
      const { createClient } = await import('@switchboard/node');
      const client = createClient({ key: '${project_key}', host: '${link.url}', folder: '${folder}', flushMs: 50 });
      for (let n = 0; n < 300; n++) {
        console.log(await client.track('node-' + n % 7, '${name}', { n }));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await client.close(60_000);`);
  const beyond = (count: number, { lines }: ReturnType<typeof run>) =>
    eventually(() => expect(lines().length).toBeGreaterThan(count), { withinMs: 30_000 });

  const first = start('an hour ago', -3_600_000);
  await beyond(60, first);
  link.fault = 'busy';
  await beyond(150, first);
  link.fault = 'lost';
  await beyond(220, first);
  const lost = () => link.arrivals.some(({ fault }) => fault === 'lost');
  await eventually(() => expect(lost()).toBe(true), { withinMs: 30_000 });
  first.child.kill('SIGKILL');
  await first.exited;
  accepted.push(...first.lines());
  link.fault = undefined;
  const second = start('in an hour', 3_600_000);
  const [code] = await second.exited;
  expect([code, second.errors()]).toEqual([0, '']);
  accepted.push(...second.lines());
  expect(accepted).not.toContain('undefined');
  expect(new Set(accepted).size).toBe(accepted.length);

  await eventually(
    async () => {
      const archived = await archivedEvents(running.home, project_id);
      expect(accepted.filter((id) => archived.get(id) !== 1)).toEqual([]);
      expect([...archived].filter(([, count]) => count !== 1)).toEqual([]);
    },
    { withinMs: 60_000 },
  );
}, 180_000);

test('flags follow the server for given traits, cohorts, and traits that identify has just set', async () => {
  const { base_url, eu_api_url, management_url, project_id: projectId, project_key, tokens } = running.demo;
  const client = createClient({ key: project_key, host: base_url, eventsHost: eu_api_url, folder: false });
  onTestFinished(() => client.close(0));
  const management = createManagement({ url: management_url, token: tokens.operator });
  const put = (key: string, clause: object, enabled = true) =>
    management.untyped.call('putFlag', {
      params: { projectId, key },
      body: { enabled, rolloutPercentage: 100, targeting: [clause] },
    });
  const isPro = { attribute: 'plan', op: 'eq', value: 'pro' };
  await management.call('putCohort', {
    params: { projectId, cohortId: 'sdk' },
    body: { name: 'SDK', distinctIds: ['node-ada'] },
  });
  await put('node-plan', isPro);
  await put('node-cohort', { attribute: '', op: 'in_cohort', value: 'sdk' });
  expect(await client.flags.ready(20_000)).toBe(true);
  const ada = { distinctId: 'node-ada', traits: { plan: 'pro' } };
  const get = (key: string, person: Parameters<typeof client.flags.get>[2] = ada) =>
    client.flags.get(key, false, person);
  expect([get('node-plan'), get('node-plan', { distinctId: 'node-ada' })]).toEqual([true, false]);
  expect([get('node-cohort'), get('node-cohort', await client.flags.withCohorts(ada))]).toEqual([
    false,
    true,
  ]);
  expect([client.flags.get('none', 7, ada), client.flags.get('node-plan', 'text', ada)]).toEqual([7, 'text']);

  const changed: string[][] = [];
  client.flags.onChange((keys) => changed.push(keys));
  await put('node-plan', isPro, false);
  await eventually(() => expect(changed).toEqual([['node-plan']]));
  expect(get('node-plan')).toBe(false);
  await put('node-plan', isPro);
  await client.identify('node-ada', { plan: 'pro' });
  const evaluated = await client.flags.fetch('node-ada');
  expect(evaluated?.flags).toMatchObject({ 'node-plan': true, 'node-cohort': true });
});

test('the in-process OpenFeature provider and OFREP return the same answer for dates and for booleans that are off', async () => {
  const { base_url, management_url, project_id: projectId, project_key: key, tokens } = running.demo;
  const management = createManagement({ url: management_url, token: tokens.operator });
  const put = (flagKey: string, flag: object) =>
    management.untyped.call('putFlag', {
      params: { projectId, key: flagKey },
      body: { enabled: true, rolloutPercentage: 100, ...flag },
    });
  const signedUp = '2026-03-02T00:00:00.000Z';
  const clause = (op: string, value: unknown) => ({ targeting: [{ attribute: 'signedUp', op, value }] });
  const texts = { type: 'string', variations: [{ key: 'a', value: 'A', weight: 1 }] };
  const flags: [key: string, flag: object, expected: object][] = [
    ['of-gte', clause('gte', '2026-03-01'), { value: true, reason: 'TARGETING_MATCH' }],
    ['of-eq', clause('eq', signedUp), { value: true, reason: 'TARGETING_MATCH' }],
    ['of-in', clause('in', ['x', signedUp]), { value: true, reason: 'TARGETING_MATCH' }],
    ['of-neq', clause('neq', signedUp), { value: false, reason: 'DEFAULT' }],
    ['of-killed', { enabled: false }, { value: false, reason: 'DISABLED' }],
    ['of-rollout', { rolloutPercentage: 0 }, { value: false, reason: 'SPLIT' }],
    ['of-text', { ...texts, enabled: false }, { value: true, reason: 'DISABLED' }],
  ];
  for (const [flagKey, flag] of flags) await put(flagKey, flag);
  const client = createClient({ key, host: base_url, folder: false });
  onTestFinished(() => client.close(0));
  await OpenFeature.setProviderAndWait(new SwitchboardProvider(client));
  onTestFinished(() => OpenFeature.close());
  const context = { targetingKey: 'node-ada', signedUp: new Date(signedUp) };
  await eventually(() => expect(Object.keys(client.flags.all({ distinctId: '' }))).toContain('of-text'));
  for (const [flagKey, , expected] of flags) {
    const details = await OpenFeature.getClient().getBooleanDetails(flagKey, true, context);
    expect(details).toMatchObject(expected);
    const response = await fetch(`${base_url}/ofrep/v1/evaluate/flags/${flagKey}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: JSON.stringify({ context }),
    });
    const { value = true, reason } = Object(await response.json());
    expect([value, reason]).toEqual([details.value, details.value ? details.reason : 'DISABLED']);
  }
});

test('the in-process OpenFeature provider becomes ready once the ruleset can be read, after a start without it', async () => {
  const { base_url, project_key: key } = running.demo;
  const link = await faultyLink(base_url);
  onTestFinished(link.close);
  link.fault = 'gone';
  const client = createClient({ key, host: link.url, folder: false });
  onTestFinished(() => client.close(0));
  await expect(OpenFeature.setProviderAndWait(new SwitchboardProvider(client))).rejects.toThrow('ruleset');
  onTestFinished(() => OpenFeature.close());
  expect(OpenFeature.getClient().providerStatus).toBe('ERROR');
  link.fault = undefined;
  await eventually(() => expect(OpenFeature.getClient().providerStatus).toBe('READY'), { withinMs: 30_000 });
});

test.each([
  ['node', documented('packages/sdk/node/README.md', 'js'), ['payments are on']],
  ['openfeature-server', documented('packages/sdk/openfeature-server/README.md', 'js'), ['true']],
  [
    'management',
    documented('packages/sdk/management/README.md', 'js'),
    expect.arrayContaining(['new-banner true']),
  ],
])(
  'the code of the README of @switchboard/%s works when pasted',
  async (_, code, lines) => {
    const { base_url, eu_api_url, management_url, project_id, project_key, tokens } = running.demo;
    const folder = await newFolder();
    const pasted = run(`process.chdir(${JSON.stringify(folder)});\n${code}`, {
      SWITCHBOARD_KEY: project_key,
      SWITCHBOARD_HOST: base_url,
      SWITCHBOARD_EVENTS: eu_api_url,
      SWITCHBOARD_URL: management_url,
      SWITCHBOARD_TOKEN: tokens.operator,
      SWITCHBOARD_PROJECT: project_id,
    });
    const [status] = await pasted.exited;
    expect([status, pasted.errors(), pasted.lines()]).toEqual([0, '', lines]);
  },
  60_000,
);

test('the code of docs/messenger.md proves the user id of a visitor', async () => {
  const { base_url, identity_secret, project_key } = running.demo;
  const code = documented('docs/messenger.md#verified-users', 'js');
  const signing = run(`const userId = 'user-1';\n${code}\nconsole.log(userHash);`, {
    IDENTITY_SECRET: identity_secret,
  });
  const [status] = await signing.exited;
  expect([status, signing.errors()]).toEqual([0, '']);
  const open = async (userHash: string | undefined) => {
    const { status } = await fetch(`${base_url}/v1/conversations`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${project_key}` },
      body: JSON.stringify({ distinctId: 'ada', userId: 'user-1', userHash }),
    });
    return status;
  };
  const [userHash] = signing.lines();
  expect([await open(userHash), await open(undefined)]).toEqual([201, 403]);
});
