import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { type EvaluationContext, OpenFeature as Server } from '@openfeature/server-sdk';
import { ClientProviderEvents, type Provider, OpenFeature as Web } from '@openfeature/web-sdk';
import { eventually } from '@switchboard/testkit';
import { EventSource } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Instance, type TestProject, useFlags } from '../testing/harness.ts';

/** Tests with the official providers, unchanged. */

const harness = await useFlags();
let other: Instance;
let project: TestProject;
beforeAll(async () => {
  other = await harness.startInstance();
  project = await harness.createProject();
  const on = { enabled: true, rolloutPercentage: 100 };
  for (const key of ['beta', 'closed'])
    await harness.putFlag(project, { key, enabled: false, rolloutPercentage: 100 });
  await harness.putFlag(project, {
    key: 'button-colour',
    ...on,
    type: 'string',
    targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
    variations: [{ key: 'green', value: '#0a0', weight: 1 }],
  });
  const limits = { items: 3 };
  await harness.putFlag(project, {
    key: 'limits',
    ...on,
    type: 'json',
    variations: [{ key: 'small', value: limits, weight: 1 }],
  });
  await harness.identify(project, 'ada', { plan: 'pro' });
  await harness.settled();
});
afterAll(async () => {
  await Server.close();
  await Web.close();
});

test('resolves values, defaults and errors through the provider for servers', async () => {
  const headers: [string, string][] = [['Authorization', `Bearer ${project.key}`]];
  await Server.setProviderAndWait(new OFREPProvider({ baseUrl: harness.url, headers }));
  const client = Server.getClient();
  const ada = { targetingKey: 'ada' };
  expect(await client.getStringDetails('button-colour', '#000', ada)).toMatchObject({
    value: '#0a0',
    variant: 'green',
    reason: 'TARGETING_MATCH',
  });
  expect(await client.getObjectValue('limits', {}, ada)).toEqual({ items: 3 });
  expect(await client.getStringValue('button-colour', '#000', { ...ada, plan: 'free' })).toBe('#000');
  expect(await client.getBooleanDetails('beta', true, ada)).toMatchObject({
    value: false,
    reason: 'DISABLED',
  });
  const codeOf = async (key: string, context: EvaluationContext) =>
    (await client.getBooleanDetails(key, false, context)).errorCode;
  expect(await codeOf('missing', ada)).toBe('FLAG_NOT_FOUND');
  expect(await codeOf('beta', {})).toBe('TARGETING_KEY_MISSING');
});

test('resolves values and defaults through the provider for pages, with changes made by another instance', async () => {
  const opened: string[] = [];
  vi.stubGlobal(
    'EventSource',
    class extends EventSource {
      constructor(url: string) {
        opened.push(url);
        super(url.replace('https://api.test/base', harness.url));
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const provider = new OFREPWebProvider({
    baseUrl: harness.url,
    headers: [['Authorization', `Bearer ${project.key}`]],
    cacheMode: 'disabled',
  });
  // The provider's type declarations do not support exactOptionalPropertyTypes.
  await Web.setProviderAndWait(provider as unknown as Provider, { targetingKey: 'ada' });
  const client = Web.getClient();
  expect(client.getStringDetails('button-colour', '#000')).toMatchObject({ value: '#0a0', variant: 'green' });
  expect(client.getBooleanDetails('beta', true)).toMatchObject({ value: false, reason: 'DISABLED' });
  expect(client.getBooleanDetails('missing', true)).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
  expect(opened).toEqual([`https://api.test/base/ofrep/v1/changes?api_key=${project.key}`]);

  const changed: string[] = [];
  client.addHandler(ClientProviderEvents.ConfigurationChanged, (details) =>
    changed.push(...(details?.flagsChanged ?? [])),
  );
  await harness.putFlag(project, { key: 'beta', enabled: true, rolloutPercentage: 100 }, other.url);
  await eventually(() => expect(client.getBooleanDetails('beta', false).value).toBe(true));
  expect(changed).toEqual(['beta']);
  await Web.setContext({ targetingKey: 'ada', plan: 'free' });
  expect(client.getStringValue('button-colour', '#000')).toBe('#000');
});

const PYTHON = process.env['PYTHON'] ?? 'python3';
const PROGRAM = fileURLToPath(new URL('../testing/ofrep_provider.py', import.meta.url));
const hasProvider = spawnSync(PYTHON, ['-c', 'import openfeature.contrib.provider.ofrep']).status === 0;

test.skipIf(!hasProvider)(
  'resolves values, defaults and errors through the provider for Python',
  async () => {
    const env = { ...process.env, PROJECT_KEY: project.key, BASE_URL: harness.url };
    const { stdout } = await promisify(execFile)(PYTHON, [PROGRAM], { env });
    expect(JSON.parse(stdout)).toEqual({
      colour: ['#0a0', 'green', 'TARGETING_MATCH'],
      limits: { items: 3 },
      free: '#000',
      off: false,
      missing: 'FLAG_NOT_FOUND',
      nobody: 'TARGETING_KEY_MISSING',
    });
  },
);
